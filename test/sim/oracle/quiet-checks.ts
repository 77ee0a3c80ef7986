import { everyCheck } from '../../../apps/verify/live/checks/every-check.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { raceViolations } from '../../support/race-checks.ts';
import { liveRules } from '../service/settings.ts';
import type { ClientHistory } from './client-history.ts';
import { checkSwitches } from './switch-checks.ts';
import type { Violations } from './violations.ts';

const shownMax = 3;

/** Kinds of stuck records that are those of services which this world does not have. */
const servedElsewhere: ReadonlySet<unknown> = new Set(['similarity']);

/** What must hold in the tables of a service that has come to rest, and of what clients were told. */
export async function checkQuietly(
  sql: Sql,
  history: ClientHistory,
  violations: Violations,
): Promise<void> {
  for (const { id, rule, find } of everyCheck) {
    const rows = await find(sql, liveRules);
    const ofThisWorld = rows.filter((row) => !servedElsewhere.has(Reflect.get(row, 'kind')));
    for (const row of ofThisWorld.slice(0, shownMax)) {
      violations.add(id, `${rule}: ${JSON.stringify(row)}`);
    }
  }
  await checkRuns(sql, history, violations);
  await checkResults(sql, history, violations);
  await checkSubmissions(sql, history, violations);
  await checkSwitches(sql, violations);
}

/** Of races that are over; each once. */
export async function checkRaces(
  sql: Sql,
  checked: Set<string>,
  violations: Violations,
): Promise<void> {
  const rows = await sql<{ id: string }[]>`
    select race_id as id from race where status in ('RACE_COMPLETE', 'RACE_CANCELLED')`;
  for (const { id } of rows) {
    if (checked.has(id)) continue;
    checked.add(id);
    for (const text of await raceViolations(sql, id)) {
      violations.add(/INV-\d\d/.exec(text)?.[0] ?? 'INV-33', text);
    }
  }
}

async function checkRuns(sql: Sql, history: ClientHistory, violations: Violations): Promise<void> {
  const rows = await sql<{ id: string; hotkey: string; status: string }[]>`
    select eval_run_id as id, validator_hotkey as hotkey, status from evaluation_run`;
  const stored = new Map(rows.map((row) => [row.id, row]));
  for (const [id, { validatorHotkey }] of history.claims) {
    if (stored.get(id)?.hotkey !== validatorHotkey) {
      violations.add('INV-09', `run ${id} of ${validatorHotkey} is not there`);
    }
  }
  for (const [id, { status }] of history.ends) {
    const found = stored.get(id)?.status;
    if (found !== status) violations.add('INV-04', `run ${id} was ${status} and is ${found}`);
  }
}

async function checkResults(
  sql: Sql,
  history: ClientHistory,
  violations: Violations,
): Promise<void> {
  const rows = await sql<{ key: string; id: string }[]>`
    select eval_run_id || ' ' || task_id as key, episode_result_id as id from episode_result`;
  const stored = new Map(rows.map(({ key, id }) => [key, id]));
  for (const [key, id] of history.results) {
    if (stored.get(key) !== id) {
      violations.add('INV-17', `result ${key} was ${id} and is ${stored.get(key)}`);
    }
  }
}

async function checkSubmissions(
  sql: Sql,
  history: ClientHistory,
  violations: Violations,
): Promise<void> {
  const rows = await sql<{ id: string; hotkey: string }[]>`
    select agent_version_id as id, miner_hotkey as hotkey from agent_version`;
  const stored = new Map(rows.map(({ id, hotkey }) => [id, hotkey]));
  for (const [id, hotkey] of history.submissions) {
    if (stored.get(id) !== hotkey) violations.add('INV-23', `version ${id} of ${hotkey} is gone`);
  }
}
