/**
 * The reference validator from the outside: a process with variables, on a real service with its own
 * database, broker and store; agents that are really run, and what the service and the public see of it.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { freePort } from '../../../infra/local/free-port.ts';
import { processesWith } from '../../support/processes-with.ts';
import { until } from '../../support/until.ts';
import {
  type EscapingAgent,
  escapingAgents,
  knock,
  type Outside,
  quietAgent,
} from './escaping-agents.ts';
import { hostileAgents } from './hostile-agents.ts';
import { careful, openShopDesk } from './shop-desk.ts';
import {
  type Gate,
  openGate,
  type RunningValidator,
  type ShopWorld,
  startValidator,
  submitAs,
} from './validator-world.ts';

const desk = openShopDesk();
const { endedRun, episodeIdsOf, hasSandbox, statusOf } = desk;
let world: ShopWorld;

test.before('a service', async (t) => {
  t.timeout(300_000);
  world = await desk.open();
});
test.after.always(() => desk.close());

test.serial('a real file is run, graded, scored and told, and the metrics count it', async (t) => {
  t.timeout(300_000);
  if (!(await hasSandbox(t))) return;
  const port = await freePort();
  const version = await submitAs(world, 1, await careful());
  const env = { METRICS_PORT: String(port), VALIDATOR_AUTH: 'signatures' };
  await using validator = await startValidator(world, { index: 1, env });
  const run = await endedRun(version);

  t.like(run, { status: 'SUCCESS', validator_hotkey: validator.hotkey, validator_score: 1 });
  t.is((await statusOf(version)).state, 'ELIGIBLE');
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  t.regex(metrics, /paddock_validator_tasks_total\{outcome="completed",end="finished"\} 30/);
  t.regex(metrics, /paddock_validator_unsent(_\w+)? 0/);
  const seen = await world.operator.api.getPublicValidators();
  const told = seen.find(({ validator_hotkey: hotkey }) => hotkey === validator.hotkey);
  t.is(told?.service_versions?.['validator'], '1');
  const { steps, order } = JSON.parse(await feedbackTextOf(version));
  t.true(steps.length > 0);
  t.not(order, null);
  validator.process.kill('SIGTERM');
  t.is((await validator.ended).code, 0);
});

/** One episode as the public reads it, once more with all that the agent did. */
async function feedbackTextOf(version: string): Promise<string> {
  const [baseUrl] = world.service.baseUrls;
  const [id] = await episodeIdsOf(version);
  return await (await fetch(`${baseUrl}/v1/public/episode-results/${id}/feedback`)).text();
}

for (const [index, { title, taskSeconds, code, reason }] of hostileAgents.entries()) {
  test.serial(`an agent that ${title} fails by its own fault`, async (t) => {
    t.timeout(300_000);
    if (!(await hasSandbox(t))) return;
    const env = { VALIDATOR_TASK_SECONDS: taskSeconds, VALIDATOR_MEMORY_MIB: '200' };
    await using validator = await startValidator(world, { index: 10 + index, env });
    const version = await submitAs(world, 10 + index, code);
    const run = await endedRun(version);

    t.is(run.failure_class, 'AGENT');
    t.regex(run.failure_reason ?? '', reason);
    t.like(await statusOf(version), { state: 'DISCARDED', failed_run_count: 1 });
    validator.process.kill('SIGTERM');
    t.is((await validator.ended).code, 0);
  });
}

/** All of it in the folders of this world, but for what every machine has. */
function outsideOf({ dataDir, keyFile }: RunningValidator, gate: Gate): Outside {
  return {
    port: Number(new URL(gate.url).port),
    keyFile,
    packFolder: join(dataDir, 'state/packs'),
    graderFile: join(import.meta.dirname, '../../../apps/validator/shop/grade.ts'),
    marks: [dataDir, tmpdir(), homedir()].map((folder) => join(folder, `mark-${process.pid}`)),
  };
}

/** How many processes of a sandbox live whose limit on memory is this one, by which they are known. */
const livingWith = async (memoryMib: number) =>
  (await processesWith(`"memory_bytes":${memoryMib * 1024 ** 2},`)).length;

test.serial('agents that reach out of the sandbox fail by their own fault', async (t) => {
  t.timeout(300_000);
  if (!(await hasSandbox(t))) return;
  await using gate = await openGate(world.service.baseUrls[0]);
  const env = { VALIDATOR_MEMORY_MIB: '222' };
  await using validator = await startValidator(world, { index: 50, baseUrl: gate.url, env });
  const outside = outsideOf(validator, gate);
  const key = await readFile(outside.keyFile, 'utf8');
  const blamed = async ({ title, code, reason }: EscapingAgent, index: number) => {
    const version = await submitAs(world, 50 + index, code);
    const run = await endedRun(version);
    t.like(run, { status: 'FAILED', failure_class: 'AGENT' }, title);
    t.regex(run.failure_reason ?? '', reason, title);
    t.is((await statusOf(version)).state, 'DISCARDED', title);
  };

  // All of them to their ends: what is left of one would be claimed in the tests that follow.
  const ended = await Promise.allSettled(escapingAgents(outside).map(blamed));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;

  const quiet = await submitAs(world, 49, quietAgent(outside));
  t.like(await endedRun(quiet), { status: 'SUCCESS', validator_score: 0 });
  const { stdout_tail: said } = JSON.parse(await feedbackTextOf(quiet));
  t.regex(said, /^(refused\n){11}$/);
  t.is(await readFile(outside.keyFile, 'utf8'), key);
  t.true((await readdir(outside.packFolder)).length > 0, 'there were answers to be had');
  for (const path of outside.marks) t.false(existsSync(path), path);
  t.false(gate.asked.includes(knock));
  t.is((await fetch(`${gate.url}${knock}`)).status, 404, 'the service was there to be asked');
  t.true(gate.asked.includes(knock));
  validator.process.kill('SIGTERM');
  t.is((await validator.ended).code, 0);
  t.is(await livingWith(222), 0);
});

test.serial('an agent asks models through its miner’s provider, and knows no token', async (t) => {
  t.timeout(300_000);
  if (!(await hasSandbox(t))) return;
  const code = `from shop_tools import ask_model, cart, search

def agent_main(problem):
    said = ask_model("Which is the cheapest?", max_tokens=8)
    for product in search(problem["goal_text"], limit=1):
        cart.add(product["product_id"])
    print(len(said) > 0)
    return cart.checkout()
`;
  const version = await submitAs(world, 40, code, 'demo-credential');
  await using validator = await startValidator(world, { index: 8 });
  const run = await endedRun(version);

  t.is(run.status, 'SUCCESS', run.failure_reason ?? '');
  const text = await feedbackTextOf(version);
  const episode = JSON.parse(text);
  t.is(episode.steps[0].tool, 'ask_model');
  t.is(typeof episode.steps[0].answer.result, 'string', text);
  t.is(episode.stdout_tail, 'True\n');
  t.notRegex(text, /access_token|[Bb]earer/);
  await using second = await startValidator(world, { index: 8 });
  const refused = await second.ended;
  t.is(refused.code, 1);
  t.regex(refused.log, /works in .*: stop it, or give this one a VALIDATOR_DATA_DIR of its own/);
  validator.process.kill('SIGTERM');
  t.is((await validator.ended).code, 0);
});

/** The log of a run as anybody gets it who asks for it. */
async function logOf(evalRunId: string): Promise<string> {
  const body = { artifact_type: 'EVAL_LOGS_BUNDLE' as const, eval_run_id: evalRunId };
  const { download_url: url } = await world.operator.api.postPublicArtifactsDownloadUrl({ body });
  const answer = await fetch(url);
  return gunzipSync(Buffer.from(await answer.arrayBuffer())).toString();
}

test.serial('whoever asks for the log of a run reads what its agent printed', async (t) => {
  t.timeout(300_000);
  if (!(await hasSandbox(t))) return;
  const talker = `import os

def agent_main(problem):
    print("first " + problem["task_id"])
    print("x" * 200_000)
    print("last " + problem["task_id"])
    os.write(2, b"to standard error\\n")
`;
  const version = await submitAs(world, 42, talker);
  const raiser = 'def agent_main(problem):\n    raise ValueError("no mugs")\n';
  const failing = await submitAs(world, 43, raiser);
  await using validator = await startValidator(world, { index: 9 });
  const [run, failed] = [await endedRun(version), await endedRun(failing)];

  const log = await logOf(run.eval_run_id);
  const tasks = [...log.matchAll(/^=== task (\S+) .*: finished after /gm)].map(([, id]) => id);
  t.is(tasks.length, 30, log.slice(0, 1000));
  for (const id of tasks) {
    t.true(log.includes(`\nlast ${id}\n`), id);
    t.false(log.includes(`first ${id}`), 'the beginning of what is too long is left out');
  }
  t.is([...log.matchAll(/^\[.* bytes before this are left out\]$/gm)].length, 30);
  t.is([...log.matchAll(/^to standard error$/gm)].length, 30);
  t.true(log.length < 4_500_000, `${log.length}`);
  t.is(failed.status, 'FAILED');
  const told = await logOf(failed.eval_run_id);
  t.is([...told.matchAll(/^ValueError: no mugs$/gm)].length, 3, told);
  t.regex(told, /^=== task \S+ .*: raised after [\d.]+ s, exit code 1: ValueError: no mugs$/m);
  const key = (await readFile(validator.keyFile, 'utf8')).trim();
  for (const text of [log, told]) t.false(text.includes(key) || text.includes(world.dataDir));
  validator.process.kill('SIGTERM');
  t.is((await validator.ended).code, 0);
});

test.serial('the work of a race is done on the held-out tasks', async (t) => {
  t.timeout(300_000);
  if (!(await hasSandbox(t))) return;
  const { race } = await world.operator.api.getPublicRacesCurrent();
  const raceId = race?.race_id ?? '';
  await world.operator.api.postAdminRacesCloseQualifying({
    race_id: raceId,
    idempotencyKey: 'close',
  });
  await world.operator.api.postAdminRacesStart({ race_id: raceId, idempotencyKey: 'start' });
  await using validator = await startValidator(world, { index: 6 });
  const isOver = async () => {
    const { races } = await world.operator.api.getPublicRacesHistory({});
    return races.some(({ race_id: id, status }) => id === raceId && status === 'RACE_COMPLETE');
  };
  await until(isOver, 120_000);

  const details = await world.operator.api.getPublicRacesByRaceId({ race_id: raceId });
  t.true(details.qualifiers.length > 0);
  const scoreOf = (name: string) =>
    details.qualifiers.find(({ agent_name: known }) => known === name)?.race_score;
  t.is(scoreOf('agent-1'), 1);
  // It buys what the search shows first: always right in one family of six, and in others for some tasks,
  // of which nobody knows before the draw whether they race.
  const firstHit = Number(scoreOf('agent-40'));
  t.true(firstHit >= 0.1667 && firstHit < 1, `${firstHit}`);
  validator.process.kill('SIGTERM');
  t.is((await validator.ended).code, 0);
});

test.serial('a start without what it needs says all of it and ends', async (t) => {
  const { ended } = await startValidator(world, {
    index: 7,
    env: { PADDOCK_URL: 'nowhere', VALIDATOR_TASK_SECOND: '1' },
  });
  const { code, log } = await ended;

  t.is(code, 1);
  t.regex(
    log,
    /VALIDATOR_TASK_SECOND is no variable of ours; did you mean VALIDATOR_TASK_SECONDS\?/,
  );
  t.regex(log, /PADDOCK_URL: "nowhere" must be a URL/);
});
