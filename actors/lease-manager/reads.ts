import type { Fragment, Sql } from '../../infra/ports/sql.ts';
import { pauseTerms } from '../../machines/work-item/pause.ts';
import {
  type Evaluator,
  inVain,
  isStranger,
  mayEvaluate,
  needsRun,
  pauseEnd,
  phaseRank,
} from '../runtime/offers.ts';

export interface RunLocator {
  readonly part: number;
  readonly agentVersionId: string;
  readonly validatorHotkey: string;
  readonly status: string;
}

/** Where a run lives; undefined when there is none. */
export async function runLocator(sql: Sql, evalRunId: string): Promise<RunLocator | undefined> {
  const [row] = await sql<RunLocator[]>`
    select part, agent_version_id as "agentVersionId", validator_hotkey as "validatorHotkey", status
    from evaluation_run
    where eval_run_id = ${evalRunId}`;
  return row;
}

export interface LiveRun {
  readonly evalRunId: string;
  readonly part: number;
  readonly agentVersionId: string;
  readonly slot: number;
  /** CLAIMED is untouched: no heartbeat, progress or result arrived. */
  readonly status: 'CLAIMED' | 'RUNNING';
  /** As far as heartbeats are written down; its owner knows better. */
  readonly isPastLease: boolean;
}

export interface Claimer {
  readonly validatorHotkey: string;
  readonly validatorColdkey: string | null;
  /** All hotkeys of that coldkey. */
  readonly ownedHotkeys?: readonly string[];
  /** Runs that it may hold, each in a slot below this. */
  readonly slots: number;
  readonly limit: number;
}

export interface ClaimCandidate {
  readonly workItemId: string;
  readonly part: number;
  /** Its miner has a credential to issue a token for. */
  readonly mayHaveToken: boolean;
}

/** What a claim is decided by, as of one moment. */
export interface ClaimView {
  /** The caller's runs that nobody has ended yet, oldest first. */
  readonly live: readonly LiveRun[];
  /**
   * Work that this validator may be given, races first, then as the queue stands; none where every slot
   * is taken. Only a hint: the owner of each partition decides. Work that the validator had a run of in
   * vain comes after all other of its phase, perhaps after a pause, and after all of it what is to be
   * judged again.
   */
  readonly candidates: readonly ClaimCandidate[];
}

/** One statement: each costs the database and the edge more than what is looked up in this. */
export async function claimView(sql: Sql, claimer: Claimer): Promise<ClaimView> {
  const { slots, validatorHotkey } = claimer;
  const [view] = await sql<ClaimView[]>`
    with live as (
      select r.eval_run_id, r.part, r.agent_version_id, r.slot, r.status, r.claimed_at,
             greatest(r.lease_expires_at, b.lease_until) <= rt.clock() as is_past_lease
      from evaluation_run r
      left join run_beat b on b.eval_run_id = r.eval_run_id
      where r.validator_hotkey = ${validatorHotkey} and r.status in ('CLAIMED', 'RUNNING')
    ),
    untried as materialized (${untried(sql, claimer)})
    select
      coalesce((
        select json_agg(json_build_object(
          'evalRunId', eval_run_id, 'part', part, 'agentVersionId', agent_version_id, 'slot', slot,
          'status', status, 'isPastLease', is_past_lease) order by claimed_at, eval_run_id)
        from live), '[]') as live,
      -- Each is looked for only where the ones before it found nothing.
      case when (select count(*) from live where slot < ${slots}) >= ${slots} then '[]'
      else coalesce(
        (select ${listed(sql)} from untried c having bool_or(c.rank = 0)),
        (select ${listed(sql)} from (${tried(sql, claimer, sql`and ${phaseRank(sql, sql`w`)} = 0`)}) c),
        (select ${listed(sql)} from untried c),
        (select ${listed(sql)} from (${tried(sql, claimer, sql``)}) c),
        (select ${listed(sql)} from (${judgeable(sql, claimer)}) c),
        '[]') end as candidates`;
  if (view === undefined) throw new Error('a query without a table gave no row');
  return view;
}

/** Null where there are none. */
function listed(sql: Sql): Fragment {
  return sql`
    json_agg(json_build_object(
      'workItemId', c.work_item_id, 'part', c.part,
      'mayHaveToken', ${lends(sql, sql`c.miner_hotkey`)}))`;
}

function lends(sql: Sql, minerHotkey: Fragment): Fragment {
  return sql`
    exists (
      select from inference_default d
      join inference_credential k on k.miner_hotkey = d.miner_hotkey
        and k.provider = d.provider and k.rejected_at is null
      where d.miner_hotkey = ${minerHotkey})`;
}

/** For a rejudging: to no validator that has or had a say in the same score. */
function judgeable(sql: Sql, claimer: Claimer): Fragment {
  const { validatorHotkey, limit } = claimer;
  return sql`
    select w.work_item_id, w.part, w.miner_hotkey
    from work_item w
    join evaluation_run judged on judged.eval_run_id = w.judged_run_id
    where w.state = 'OPEN' and w.rejudging_id is not null and w.live_count = 0
      and (w.hold_until is null or w.hold_until <= rt.clock())
      and w.hold_reason is distinct from 'MINER_BANNED'
      and ${isStranger(sql, evaluator(sql, claimer))}
      and judged.validator_hotkey <> ${validatorHotkey}
      and not exists (
        select from evaluation_run r
        where r.agent_version_id = w.agent_version_id and r.phase = w.phase
          and r.race_id is not distinct from w.race_id and r.validator_hotkey = ${validatorHotkey}
          and (r.status in ('CLAIMED', 'RUNNING') or r.is_included
            or r.status = 'SUCCESS' and exists (
              select from work_item o
              where o.work_item_id = r.work_item_id and o.state = 'JUDGED')))
      and ${notPaused(sql, validatorHotkey)}
    order by
      case when exists (select from evaluation_run r where ${inVain(sql, sql`${validatorHotkey}`)})
        then w.next_fence else 0 end,
      w.queue_order_at, w.work_item_id
    limit ${limit}`;
}

/** Of work that is judged again nothing ends but an operator: it pauses as qualifying work does. */
function notPaused(sql: Sql, validatorHotkey: string): Fragment {
  const { RACE, QUALIFYING } = pauseTerms.maxMs;
  const end = pauseEnd(sql, {
    hotkey: sql`${validatorHotkey}`,
    maxMs: sql`case when w.phase = 'RACE' and w.rejudging_id is null then ${RACE}::float8
      else ${QUALIFYING}::float8 end`,
  });
  return sql`(${end} <= rt.clock()) is not false`;
}

/** As the queue stands. */
function untried(sql: Sql, claimer: Claimer): Fragment {
  const restriction = sql`
    and (select r.eval_run_id from evaluation_run r
         where ${inVain(sql, sql`${claimer.validatorHotkey}`)} limit 1) is null`;
  return candidates(sql, claimer, { restriction, order: sql`w.queue_order_at` });
}

/**
 * Asked for only where nothing is untried, so all of it was tried in vain: what was given out least
 * often first, or what fails again and again would keep this validator from the rest of it.
 */
function tried(sql: Sql, claimer: Claimer, phase: Fragment): Fragment {
  const restriction = sql`${phase} and ${notPaused(sql, claimer.validatorHotkey)}`;
  const order = sql`w.next_fence, w.queue_order_at`;
  return candidates(sql, claimer, { restriction, order });
}

function candidates(
  sql: Sql,
  claimer: Claimer,
  { restriction, order }: { readonly restriction: Fragment; readonly order: Fragment },
): Fragment {
  // What is untried comes as the index work_item_claimable has it, whose scan ends at the limit: with
  // anti-joins in place of these subqueries the planner reads and sorts all claimable work. Each
  // subquery is one probe of an index that holds nothing else.
  return sql`
    select w.work_item_id, w.part, w.miner_hotkey, ${phaseRank(sql, sql`w`)} as rank
    from work_item w
    where ${needsRun(sql, sql`w`)}
      and (w.hold_until is null or w.hold_until <= rt.clock())
      and w.hold_reason is distinct from 'MINER_BANNED'
      and w.miner_hotkey <> all(array(select b.hotkey from hotkey_ban b))
      and ${mayEvaluate(sql, evaluator(sql, claimer))}
      ${restriction}
    order by ${phaseRank(sql, sql`w`)}, ${order}, w.work_item_id
    limit ${claimer.limit}`;
}

function evaluator(
  sql: Sql,
  { validatorHotkey, validatorColdkey, ownedHotkeys = [] }: Claimer,
): Evaluator {
  return {
    hotkey: sql`${validatorHotkey}`,
    coldkey: sql`${validatorColdkey}`,
    owned: sql`${[...ownedHotkeys]}::text[]`,
  };
}

/** What never changes of a version and of the suite it is run on, as every run of it is told. */
export interface RunTerms {
  readonly suiteVersion: number;
  readonly executionKind: 'legacy_benchmark' | 'envpack';
  readonly envPackSha256: string | null;
  readonly codeSha256: string;
}

export async function runTerms(
  sql: Sql,
  { agentVersionId, suiteId }: { readonly agentVersionId: string; readonly suiteId: number },
): Promise<RunTerms> {
  const [row] = await sql<RunTerms[]>`
    select s.suite_version as "suiteVersion", s.execution_kind as "executionKind",
           s.env_pack_sha256 as "envPackSha256", v.code_sha256 as "codeSha256"
    from agent_version v, suite s
    where v.agent_version_id = ${agentVersionId} and s.suite_id = ${suiteId}`;
  if (row === undefined) throw new Error(`no version ${agentVersionId} or no suite ${suiteId}`);
  return row;
}

/** A query of when, `at`, the run was claimed. */
export function claimedAt(sql: Sql, evalRunId: string): Fragment {
  return sql`select r.claimed_at as at from evaluation_run r where r.eval_run_id = ${evalRunId}`;
}

export interface ClaimDetails {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  readonly workItemId: string;
  readonly minerHotkey: string;
  readonly validatorHotkey: string;
  readonly status: string;
  readonly suiteId: number;
  readonly suiteVersion: number;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly raceId: string | null;
  readonly executionKind: 'legacy_benchmark' | 'envpack';
  readonly envPackSha256: string | null;
  readonly codeSha256: string;
  readonly leaseExpiresAt: Date;
  /** It has an inference token, or its miner a credential to issue one for. */
  readonly mayHaveToken: boolean;
}

/** What the answer to a claim says of its run. */
export async function claimDetails(sql: Sql, evalRunId: string): Promise<ClaimDetails | undefined> {
  const [row] = await sql<ClaimDetails[]>`
    select r.eval_run_id as "evalRunId", r.agent_version_id as "agentVersionId",
           r.work_item_id as "workItemId", v.miner_hotkey as "minerHotkey",
           r.validator_hotkey as "validatorHotkey", r.status, r.suite_id as "suiteId",
           s.suite_version as "suiteVersion", r.phase, r.race_id as "raceId",
           r.execution_kind as "executionKind", r.env_pack_sha256 as "envPackSha256",
           v.code_sha256 as "codeSha256", r.lease_expires_at as "leaseExpiresAt",
           ${lends(sql, sql`v.miner_hotkey`)} or exists (
             select from inference_token t where t.eval_run_id = r.eval_run_id
           ) as "mayHaveToken"
    from evaluation_run r
    join agent_version v on v.agent_version_id = r.agent_version_id
    join suite s on s.suite_id = r.suite_id
    where r.eval_run_id = ${evalRunId}`;
  return row;
}
