import { wantedOwner } from '../../actors/runtime/placement.ts';
import { everyCheck } from '../../apps/verify/live/checks/every-check.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { createMembershipStore } from '../../infra/postgres/membership-store.ts';
import type { LifecycleHistory } from './lifecycle-history.ts';
import { openRules } from './service-world.ts';
import { until } from './until.ts';

/** Of one rule; a broken rule is often broken a thousand times. */
const shownMax = 5;

/**
 * Everything that is wrong in the database of a quiet service, and everything that its clients were
 * told and that is not so. Empty is what is wanted. Shared by the tests and by the proof.
 */
export async function lifecycleViolations(sql: Sql, history: LifecycleHistory): Promise<string[]> {
  const wrong: string[] = [];
  const add = (rule: string, found: readonly string[]) => {
    wrong.push(...found.slice(0, shownMax).map((text) => `${rule}: ${text}`));
    if (found.length > shownMax) wrong.push(`${rule}: ${found.length} in all`);
  };
  for (const { id, rule, find } of everyCheck) {
    add(
      `${id} ${rule}`,
      (await find(sql, openRules)).map((row) => JSON.stringify(row)),
    );
  }
  add('clients', history.contradictions);
  add('acknowledged claims (INV-09)', await lostClaims(sql, history));
  add('acknowledged results (INV-17, 18)', await lostResults(sql, history));
  add('acknowledged completions (INV-04)', await lostCompletions(sql, history));
  add('eligible once (INV-13)', eligibleTwice(history));
  add('acknowledged submissions (INV-23)', await lostSubmissions(sql, history));
  add('stale runs (INV-06, 08)', await earlyStale(sql, history));
  return wrong;
}

/** The service says nothing more: no run is live, every message was taken, and no partition is on its way. */
export async function untilQuiet(sql: Sql, timeoutMs: number): Promise<void> {
  await until(async () => {
    const [row] = await sql<{ busy: number }[]>`
      select (select count(*) from evaluation_run where status in ('CLAIMED', 'RUNNING'))::integer
           + (select count(*) from rt.outbox)::integer as busy`;
    return row?.busy === 0 && (await isPlaced(sql));
  }, timeoutMs);
}

/** A partition that is handed over has no owner for a moment. */
async function isPlaced(sql: Sql): Promise<boolean> {
  const { members, partitions } = await createMembershipStore(sql).view();
  const living = new Set(members.map(({ incarnation }) => incarnation));
  return partitions.every((each) => {
    const isServed = each.incarnation !== undefined && living.has(each.incarnation);
    return isServed && each.owner === (wantedOwner(each, members) ?? each.owner);
  });
}

async function lostClaims(sql: Sql, history: LifecycleHistory): Promise<string[]> {
  const rows = await sql<{ id: string; hotkey: string; versionId: string }[]>`
    select eval_run_id as id, validator_hotkey as hotkey, agent_version_id as "versionId"
    from evaluation_run`;
  const stored = new Map(rows.map((row) => [row.id, row]));
  return [...history.claims].flatMap(([id, { validatorHotkey, agentVersionId }]) => {
    const run = stored.get(id);
    if (run === undefined) return [`run ${id} is not there`];
    const isSame = run.hotkey === validatorHotkey && run.versionId === agentVersionId;
    return isSame ? [] : [`run ${id} is of ${run.hotkey} and ${run.versionId}`];
  });
}

async function lostResults(sql: Sql, history: LifecycleHistory): Promise<string[]> {
  const rows = await sql<{ key: string; id: string }[]>`
    select eval_run_id || ' ' || task_id as key, episode_result_id as id from episode_result`;
  const stored = new Map(rows.map(({ key, id }) => [key, id]));
  return [...history.results].flatMap(([key, id]) =>
    stored.get(key) === id ? [] : [`${key} was stored as ${id}, and is ${stored.get(key)}`],
  );
}

async function lostCompletions(sql: Sql, history: LifecycleHistory): Promise<string[]> {
  const rows = await sql<{ id: string; status: string }[]>`
    select eval_run_id as id, status from evaluation_run`;
  const stored = new Map(rows.map(({ id, status }) => [id, status]));
  return [...history.completions].flatMap(([id, { status }]) =>
    stored.get(id) === status ? [] : [`run ${id} was ${status} and is ${stored.get(id)}`],
  );
}

function eligibleTwice(history: LifecycleHistory): string[] {
  const wrong: string[] = [];
  const eligible = new Set<string>();
  for (const [id, { becameEligible, finalScore }] of history.completions) {
    if (!becameEligible) continue;
    if (finalScore === null) wrong.push(`run ${id} made a version eligible without a score`);
    const versionId = history.claims.get(id)?.agentVersionId ?? '';
    if (eligible.has(versionId)) wrong.push(`version ${versionId} became eligible twice`);
    eligible.add(versionId);
  }
  return wrong;
}

async function lostSubmissions(sql: Sql, history: LifecycleHistory): Promise<string[]> {
  const rows = await sql<{ id: string; hotkey: string }[]>`
    select agent_version_id as id, miner_hotkey as hotkey from agent_version`;
  const stored = new Map(rows.map(({ id, hotkey }) => [id, hotkey]));
  return [...history.submissions].flatMap(([id, hotkey]) =>
    stored.get(id) === hotkey ? [] : [`version ${id} of ${hotkey} is not there`],
  );
}

/** No run ends before what was promised, and no punctual validator's run ends in silence at all. */
async function earlyStale(sql: Sql, history: LifecycleHistory): Promise<string[]> {
  const rows = await sql<{ id: string; atMs: number; decidedMs: number }[]>`
    select key as id, (extract(epoch from at) * 1000)::float8 as "atMs",
           (payload ->> 'at')::float8 as "decidedMs"
    from rt.event
    where machine = 'evaluation-run' and type = 'STALED'`;
  return rows.flatMap(({ id, atMs, decidedMs }) => {
    const promisedMs = history.leaseUntilMs.get(id);
    // Nobody knows of the claim: its answer was lost and its validator did not ask again.
    if (promisedMs === undefined) return [];
    const endMs = Math.min(atMs, decidedMs);
    if (endMs < promisedMs) return [`run ${id} went stale ${promisedMs - endMs} ms too early`];
    if (history.silent.has(id)) return [];
    const staled = `at ${new Date(endMs).toISOString()}, promised until ${new Date(promisedMs).toISOString()}`;
    const told = `${history.claims.get(id)?.validatorHotkey}: ${history.storyOf(id)}`;
    return [`run ${id} went stale although its validator was there, ${staled}; ${told}`];
  });
}
