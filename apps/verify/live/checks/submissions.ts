import { decodeHotkey } from '../../../../infra/crypto/ss58.ts';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { type Check, inPages, type LiveRules, within } from './check.ts';

/** INV-22 to INV-25: what miners hand in, and when others may see it. */
export const submissionChecks: readonly Check[] = [
  {
    id: 'INV-22',
    rule: 'two accepted submissions of a hotkey are a cooldown apart, or a discard freed it sooner',
    of: 'audit.submissions',
    find: hurriedSubmissions,
  },
  {
    id: 'INV-22',
    rule: 'an account has one spelling, so that no second one has a cooldown of its own',
    of: 'miner',
    find: async (sql) => {
      const rows = await sql<{ hotkey: string }[]>`
        select hotkey from miner union select validator_hotkey from evaluation_run`;
      return rows.filter(({ hotkey }) => decodeHotkey(hotkey) === undefined);
    },
  },
  {
    id: 'INV-23',
    rule: 'an accepted submission is one version and one work item, numbered without a gap',
    of: 'agent',
    find: (sql) => sql`
      select a.agent_id, count(v.*) as versions, count(w.*) as work_items,
        max(v.version_number) as newest
      from agent a
      left join agent_version v on v.agent_id = a.agent_id
      left join work_item w
        on w.agent_version_id = v.agent_version_id and w.phase = 'QUALIFYING'
        and w.rejudging_id is null
      group by a.agent_id
      having count(v.*) <> count(w.*) or max(v.version_number) <> count(distinct v.version_number)`,
  },
  {
    id: 'INV-23',
    rule: 'a version was submitted once, with the code and by the miner that its row names',
    of: 'agent_version',
    find: inPages(
      'agent_version',
      'agent_version_id',
      (sql, page) => sql`
        select v.agent_version_id, v.miner_hotkey, v.code_sha256, e.payload -> 'version' as submitted
        from agent_version v
        left join rt.event e on e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
          and e.key = v.agent_version_id::text and e.type = 'RECEIVED'
        where ${within(sql, 'v.agent_version_id', page)}
          and (e.payload -> 'version' ->> 'minerHotkey', e.payload -> 'version' ->> 'agentId')
            is distinct from (v.miner_hotkey, v.agent_id::text)`,
    ),
  },
  {
    // That the object store holds these bytes is what GET /health/deep and the miners' downloads show.
    id: 'INV-24',
    rule: 'the hash of a version’s code is the one that was submitted',
    of: 'agent_version',
    find: inPages(
      'agent_version',
      'agent_version_id',
      (sql, page) => sql`
        select v.agent_version_id, v.code_sha256, e.payload -> 'version' ->> 'codeSha256' as submitted
        from agent_version v
        join rt.event e on e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
          and e.key = v.agent_version_id::text and e.seq = 1
        where ${within(sql, 'v.agent_version_id', page)}
          and (v.code_sha256, v.code_size_bytes) is distinct from (
            e.payload -> 'version' ->> 'codeSha256',
            (e.payload -> 'version' ->> 'codeSizeBytes')::integer)`,
    ),
  },
  {
    id: 'INV-25',
    rule: 'nothing was told before its release was due',
    of: 'public_release',
    find: (sql) => sql`
      select p.kind, p.id, p.due_at, p.told_at, r.released_at
      from public_release p
      left join race r on p.kind = 'RACE' and r.race_id = p.id
      where p.told_at < p.due_at
         or p.kind = 'RACE' and p.due_at < coalesce(r.released_at, r.cancelled_at)
         or p.reason = 'TOP' and not exists (
           select from top_agent t where t.agent_version_id = p.id and t.top_at <= p.due_at)`,
  },
  {
    id: 'INV-25',
    rule: 'no bundle was published before its race was released, an embargo after its end',
    of: 'race',
    find: (sql) => sql`
      select r.race_id, r.completed_at, r.released_at, b.published_at
      from race r
      left join race_bundle b on b.race_id = r.race_id
      where b.published_at < r.released_at
         or r.status = 'RACE_COMPLETE' and r.released_at is distinct from
           r.completed_at + (r.policy ->> 'embargoMs')::bigint * interval '1 millisecond'
         or r.status <> 'RACE_COMPLETE' and (r.released_at is not null or b.race_id is not null)`,
  },
  {
    id: 'INV-25',
    rule: 'no suite of its pack showed a task of a race before the race was released',
    of: 'race_task',
    find: (sql) => sql`
      select t.race_id, t.task_id, shown.suite_id, shown.created_at, r.started_at, r.released_at
      from race_task t
      join race r on r.race_id = t.race_id
      join suite own on own.suite_id = r.suite_id
      join suite shown on shown.env_pack_sha256 = own.env_pack_sha256
      join suite_problem p on p.suite_id = shown.suite_id and p.phase = 'QUALIFYING'
        and p.task_id = t.task_id
      where shown.created_at < coalesce(r.released_at, r.cancelled_at, 'infinity')`,
  },
  {
    // Where several tasks of the race's pack have one goal, it says nothing of any of them.
    id: 'INV-25',
    rule: 'no suite of another pack showed the goal of a race’s task before the race was released',
    of: 'race_task',
    find: (sql) => sql`
      with goal as (
        select pack_sha256, goal_text, min(task_id) as task_id
        from pack_task
        group by pack_sha256, goal_text
        having count(*) = 1)
      select t.race_id, t.task_id, shown.suite_id, shown.created_at, r.started_at, r.released_at
      from suite_problem p
      join suite shown on shown.suite_id = p.suite_id
      join goal on goal.goal_text = p.goal_text and goal.pack_sha256 <> shown.env_pack_sha256
      join suite own on own.env_pack_sha256 = goal.pack_sha256
      join race r on r.suite_id = own.suite_id
      join race_task t on t.race_id = r.race_id and t.task_id = goal.task_id
      where p.phase = 'QUALIFYING'
        and shown.created_at < coalesce(r.released_at, r.cancelled_at, 'infinity')`,
  },
];

/** Without the setting: the shortest that the miners' rows show, so that nobody is blamed wrongly. */
async function hurriedSubmissions(sql: Sql, rules?: LiveRules): Promise<readonly object[]> {
  const given = rules?.cooldownMs ?? null;
  return await sql`
    with cooldown as (
      select coalesce(${given}::float8 * interval '1 millisecond', (
        select min(m.next_allowed_at - last.at)
        from miner m
        cross join lateral (
          select max(v.submitted_at) as at, bool_or(v.discarded_at is not null) as is_freed
          from agent_version v
          where v.miner_hotkey = m.hotkey) last
        where not last.is_freed)) as length)
    select pair.miner_hotkey, pair.agent_version_id, pair.before_at, pair.submitted_at
    from (
      select miner_hotkey, agent_version_id, submitted_at,
        lag(submitted_at) over (partition by miner_hotkey order by submitted_at) as before_at
      from agent_version) pair
    cross join cooldown
    where pair.submitted_at - pair.before_at < cooldown.length
      and not exists (
        select from agent_version o
        join rt.event e on e.kind = 'eval' and e.part = o.part and e.machine = 'agent-version'
          and e.key = o.agent_version_id::text and e.type = 'DISCARDED'
          -- No other discard frees a miner.
          and e.payload ->> 'reason' = 'AGENT_FAILURES'
        where o.miner_hotkey = pair.miner_hotkey
          and e.at between pair.before_at and pair.submitted_at)`;
}
