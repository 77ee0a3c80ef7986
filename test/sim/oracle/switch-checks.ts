import type { Sql } from '../../../infra/ports/sql.ts';
import type { Violations } from './violations.ts';

/** Of before the last activation of its suite, but for clocks of owners that are a little late. */
const isFormer = (sql: Sql, column: string) => sql`
  (not s.is_active or ${sql(column)} < s.activated_at - interval '6 seconds')`;

/**
 * What a switch of the suite ends is ended whole, in whatever order its news came and however soon the
 * suite was back: queue, race and reign.
 */
export async function checkSwitches(sql: Sql, violations: Violations): Promise<void> {
  const races = await sql<{ what: string }[]>`
    select r.race_id || ' ' || r.status as what from race r join suite s using (suite_id)
    where r.status not in ('RACE_COMPLETE', 'RACE_CANCELLED') and ${isFormer(sql, 'r.opened_at')}`;
  const reigns = await sql<{ what: string }[]>`
    select t.agent_version_id::text as what from top_agent t join suite s using (suite_id)
    where t.ended_at is null and ${isFormer(sql, 't.top_at')}`;
  const versions = await sql<{ what: string }[]>`
    select v.agent_version_id || ' ' || v.state as what
    from agent_version v join suite s using (suite_id)
    where v.state not in ('ELIGIBLE', 'DISCARDED', 'CANCELLED')
      and ${isFormer(sql, 'v.submitted_at')}`;
  for (const [invariant, found] of [
    ['INV-26', races],
    ['INV-31', reigns],
    ['INV-47', versions],
  ] as const) {
    for (const { what } of found) violations.add(invariant, `${what} is of before a switch`);
  }
}
