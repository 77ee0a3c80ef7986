import type { Sql } from '../../../infra/ports/sql.ts';
import { coordinatorConfig, liveRules } from '../service/settings.ts';

/** A discard is written so much later than it was decided, at most; also after a submission meanwhile. */
const slackMs = 60_000;

/**
 * Miners that may submit again sooner than a cooldown after their last submission, and were not freed by
 * a version of theirs that failed three times (INV-22). What nobody has tried yet is seen too: most
 * miners here submit once a day, and never within their cooldown.
 */
export async function shortCooldowns(sql: Sql): Promise<readonly string[]> {
  const { cooldownMs = 0 } = liveRules;
  const rows = await sql<{ hotkey: string; nextAllowedAt: Date; dueAt: Date }[]>`
    select m.hotkey, m.next_allowed_at as "nextAllowedAt", due.at as "dueAt"
    from miner m
    cross join lateral (
      select max(v.submitted_at) as submitted_at
      from agent_version v
      where v.miner_hotkey = m.hotkey) last
    cross join lateral (
      select least(last.submitted_at + ${cooldownMs}::float8 * interval '1 millisecond',
        min(e.at) + ${coordinatorConfig.discardCooldownSeconds}::float8 * interval '1 second'
          - ${slackMs}::float8 * interval '1 millisecond') as at
      from agent_version v
      join rt.event e on e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
        and e.key = v.agent_version_id::text and e.type = 'DISCARDED'
        and e.payload ->> 'reason' = 'AGENT_FAILURES'
        and e.at >= last.submitted_at - ${slackMs}::float8 * interval '1 millisecond'
      where v.miner_hotkey = m.hotkey) due
    where m.next_allowed_at < due.at`;
  return rows.map(({ hotkey, nextAllowedAt, dueAt }) => {
    const [allowed, due] = [nextAllowedAt, dueAt].map((at) => new Date(at).toISOString());
    return `${hotkey} may submit again at ${allowed}, and not before ${due}`;
  });
}
