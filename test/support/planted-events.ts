import type { Sql } from '../../infra/ports/sql.ts';
import type { PublicEventType } from '../../machines/feed/public-event.ts';

const versionId = '00000000-0000-4000-8000-000000000001';

/** Events at the end of the feed as the projector would leave them, and where the feed ends then. */
export async function plantEvents(
  sql: Sql,
  count: number,
  type: Extract<
    PublicEventType,
    'submission-accepted' | 'version-eligible'
  > = 'submission-accepted',
): Promise<number> {
  const body = {
    agent_version_id: versionId,
    agent_name: 'planted',
    miner_hotkey: 'nobody',
    suite_id: 1,
    ...(type === 'version-eligible' && { qualifying_score: 0.5 }),
  };
  const newest = await sql.begin(async (tx) => {
    // The lock of whoever writes to the feed.
    await tx`select pg_advisory_xact_lock(7246001)`;
    await tx`
      insert into public_event (cursor, msg_id, type, body, at)
      select last.cursor + n, 'planted-' || last.cursor + n, ${type},
             ${JSON.stringify(body)}::text::jsonb, now()
      from (select coalesce(max(cursor), 0) as cursor from public_event) last,
           generate_series(1, ${count}::int) n`;
    const [row] = await tx<{ cursor: number }[]>`
      select max(cursor)::float8 as cursor from public_event`;
    return row?.cursor ?? 0;
  });
  return newest;
}
