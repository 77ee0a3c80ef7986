import type { Transaction } from '../../../infra/ports/sql.ts';
import type { StandingTask } from '../../../machines/suite/draw-qualifying.ts';
import { waitInLine } from './audit-store.ts';
import type { KeptSuite, PackDocument, RegisteredPack } from './messages.ts';

export const tables = ['hotkey_ban', 'pack', 'pack_task', 'suite', 'suite_problem'] as const;

export async function findPack(
  tx: Transaction,
  packSha256: string,
): Promise<RegisteredPack | undefined> {
  const [row] = await tx<RegisteredPack[]>`
    select pack_sha256 as "packSha256", size_bytes::float8 as "sizeBytes", task_count as "taskCount",
      family_counts as "familyCounts", manifest
    from pack
    where pack_sha256 = ${packSha256}`;
  return row;
}

/** Who else brings the pack waits until this transaction ends, and finds it then. */
export async function lockPack(tx: Transaction, packSha256: string): Promise<void> {
  await waitInLine(tx);
  await tx`select pg_advisory_xact_lock(hashtextextended(${`pack:${packSha256}`}, 0))`;
}

export async function insertPack(
  tx: Transaction,
  pack: RegisteredPack,
  tasks: PackDocument['tasks'],
): Promise<void> {
  await tx`
    insert into pack (pack_sha256, size_bytes, manifest, task_count, family_counts, created_at)
    values (${pack.packSha256}, ${pack.sizeBytes}, ${JSON.stringify(pack.manifest)}::text::jsonb,
      ${pack.taskCount}, ${JSON.stringify(pack.familyCounts)}::text::jsonb, rt.clock())`;
  await tx`
    insert into pack_task (pack_sha256, ordinal, task_id, family, goal_text)
    select ${pack.packSha256}, ordinal, task_id, family, goal_text
    from unnest(${tasks.map(({ taskId }) => taskId)}::text[],
      ${tasks.map(({ family }) => family)}::text[],
      ${tasks.map(({ goalText }) => goalText)}::text[])
      with ordinality as given (task_id, family, goal_text, ordinal)`;
}

/** Of a pack, with what its other suites and those of other packs have made of it. */
export interface PackTask extends StandingTask {
  readonly goalText: string;
}

/**
 * In pack order. What is held out is so by a suite that may draw it, or by a race that has drawn it. By
 * its goal where that would make a task of a racing pack public: one that has the goal alone in its own
 * pack, however many have it in this one.
 */
export async function packTasks(tx: Transaction, packSha256: string): Promise<readonly PackTask[]> {
  return await tx<PackTask[]>`
    with racing as (
      select s.env_pack_sha256 as pack_sha256
      from suite s
      where s.env_pack_sha256 is not null and (s.is_active or exists (
        select from race r
        where r.suite_id = s.suite_id and (
          r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING')
          or r.released_at > rt.clock()))))
    select t.task_id as "taskId", t.family, t.goal_text as "goalText", t.is_public as "isPublic",
      not t.is_public and (
        t.pack_sha256 in (select pack_sha256 from racing)
        or t.goal_text in (
          select o.goal_text from rt.tasks_of_packs(array(select pack_sha256 from racing)) o
          where o.has_own_goal and not o.is_public)) as "isHeldOut"
    from rt.tasks_of_packs(array[${packSha256}::text]) t
    order by t.ordinal`;
}

/**
 * Keeps which suites are active and which races they have until the transaction ends. In the order of
 * ids, as races lock suites.
 */
export async function holdSuites(tx: Transaction): Promise<void> {
  await tx`select 1 from suite order by suite_id for share`;
}

const suiteColumns = (tx: Transaction) => tx`
  suite_id as "suiteId", suite_version as "suiteVersion", is_active as "isActive",
  execution_kind as "executionKind", environment, env_pack_sha256 as "envPackSha256",
  benchmark_name as "benchmarkName", benchmark_number as "benchmarkNumber"`;

export async function nextSuiteVersion(tx: Transaction): Promise<number> {
  const [row] = await tx<{ next: number }[]>`
    select coalesce(max(suite_version), 0) + 1 as next from suite`;
  return row?.next ?? 1;
}

export interface NewSuite {
  readonly suiteVersion: number;
  readonly executionKind: string;
  readonly benchmarkName: string;
  readonly benchmarkNumber: number;
  readonly envPackSha256: string | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly qualifyingThresholdMicro: number;
  readonly requiredSuccessesQualifying: number;
  readonly requiredSuccessesRace: number;
}

export async function insertSuite(tx: Transaction, suite: NewSuite): Promise<KeptSuite> {
  const [row] = await tx<KeptSuite[]>`
    insert into suite (suite_version, execution_kind, benchmark_name, benchmark_number,
      env_pack_sha256, environment, qualifying_threshold, required_successes_qualifying,
      required_successes_race, created_threshold, created_successes_qualifying,
      created_successes_race, created_at)
    select ${suite.suiteVersion}, ${suite.executionKind}, ${suite.benchmarkName},
      ${suite.benchmarkNumber}, ${suite.envPackSha256},
      ${JSON.stringify(suite.environment)}::text::jsonb,
      threshold, qualifying, race, threshold, qualifying, race, rt.clock()
    from (values (${suite.qualifyingThresholdMicro}::numeric / 1000000,
      ${suite.requiredSuccessesQualifying}::integer, ${suite.requiredSuccessesRace}::integer))
      as terms (threshold, qualifying, race)
    returning ${suiteColumns(tx)}`;
  if (row === undefined) throw new Error('an inserted suite was not returned');
  return row;
}

export interface RosterEntry {
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly problemId: string;
  readonly taskId: string | null;
  readonly family: string | null;
  readonly goalText: string | null;
  readonly category: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly embeddings: unknown;
}

/** Ordinals count from 1 in each phase, in the order given. */
export async function insertRoster(
  tx: Transaction,
  suiteId: number,
  roster: readonly RosterEntry[],
): Promise<void> {
  await tx`
    insert into suite_problem (suite_id, phase, ordinal, problem_id, task_id, family, goal_text,
      category, metadata, embeddings)
    select ${suiteId}, entry ->> 'phase',
      row_number() over (partition by entry ->> 'phase' order by position),
      (entry ->> 'problemId')::uuid, entry ->> 'taskId', entry ->> 'family', entry ->> 'goalText',
      entry ->> 'category', entry -> 'metadata', nullif(entry -> 'embeddings', 'null')
    from jsonb_array_elements(${JSON.stringify(roster)}::text::jsonb)
      with ordinality as given (entry, position)`;
}

/** Undefined when there is no such suite. */
export async function activateSuite(
  tx: Transaction,
  suiteId: number,
): Promise<KeptSuite | undefined> {
  // In the order of ids, as races lock suites.
  await tx`
    select 1 from suite where is_active or suite_id = ${suiteId}
    order by suite_id
    for no key update`;
  await tx`update suite set is_active = false where is_active and suite_id <> ${suiteId}`;
  const [row] = await tx<KeptSuite[]>`
    update suite
    set is_active = true,
      activated_at = case when is_active then activated_at else rt.clock() end
    where suite_id = ${suiteId}
    returning ${suiteColumns(tx)}`;
  return row;
}

/** A ban that stands keeps its reason and time. */
export async function insertBan(
  tx: Transaction,
  hotkey: string,
  reason: string,
): Promise<{ readonly reason: string; readonly bannedAt: Date }> {
  const [row] = await tx<{ reason: string; bannedAt: Date }[]>`
    insert into hotkey_ban (hotkey, reason, banned_at)
    values (${hotkey}, ${reason}, rt.clock())
    on conflict (hotkey) do update set hotkey = excluded.hotkey
    returning reason, banned_at as "bannedAt"`;
  if (row === undefined) throw new Error('a ban was neither inserted nor found');
  return row;
}

export async function deleteBan(tx: Transaction, hotkey: string): Promise<boolean> {
  const { count } = await tx`delete from hotkey_ban where hotkey = ${hotkey}`;
  return count > 0;
}

export interface PartitionMessage {
  readonly msgId: string;
  readonly subject: string;
  readonly targetKind: string;
  readonly targetPart: number;
  readonly targetConsumer: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly sweepAfterMs: number;
}

/** Leaves messages behind that go out because, and only if, this transaction commits. */
export async function send(tx: Transaction, messages: readonly PartitionMessage[]): Promise<void> {
  await tx`select rt.send(${JSON.stringify(messages)}::text::jsonb)`;
}
