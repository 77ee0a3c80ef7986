import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  claim,
  complete,
  episode,
  evaluate,
  runPath,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import { type EventStream, followStream } from '../../support/event-stream.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';

// What an onlooker is told of one race, from the first submission to the release of all code.

const embargoSeconds = 3_600;
const codeSeconds = 432_000;

let service: TestService;
let suite: TrialSuite;
let judges: readonly [TestKey, TestKey];
let feed: EventStream;
let first: string;
let second: string;
let raceId: string;
let taskIds: readonly string[] = [];
const qualifyingRuns = 2;
const raceRuns: { readonly id: string; readonly score: number }[] = [];

test.serial.before(async () => {
  service = await startTestService({
    env: {
      CLOCK: 'simulated',
      COOLDOWN_SECONDS: '0',
      REQUIRED_SUCCESSES_RACE: '2',
      RACE_EMBARGO_SECONDS: String(embargoSeconds),
      CODE_RELEASE_SECONDS: String(codeSeconds),
    },
  });
  feed = await followStream(`${service.baseUrl}/v1/public/events?cursor=0`);
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  await untilTold('race-opened', 1);
  judges = await Promise.all([service.validator('judge 1'), service.validator('judge 2')]);
  const [one, two] = await Promise.all([service.miner('one'), service.miner('two')]);
  first = (await submit(one, { name: 'first' })).agent_version_id;
  await untilTold('submission-accepted', 1);
  await evaluate(judges[0], suite, '0.8');
  await untilTold('version-eligible', 1);
  second = (await submit(two, { name: 'second' })).agent_version_id;
  await untilTold('submission-accepted', 2);
  await evaluate(judges[0], suite, '0.7');
});
test.after.always(async () => {
  feed?.close();
  await service?.stop();
});

const names = () => feed.events.map(({ name }) => name);
/** What different actors say stands in the feed as it came to the projector: each step waits for what was said before. */
const untilTold = (name: string, count: number) =>
  until(() => names().filter((each) => each === name).length === count);
const raceEnds = () =>
  feed.events.flatMap(({ data }) =>
    data.type === 'run-ended' && data.phase === 'RACE' ? [data] : [],
  );

/** Of run and task neither score nor result may show; 7 digits that nothing else has. */
const rewards: Readonly<Record<string, readonly number[]>> = {
  0: [0.712345, 0.512345],
  1: [0.623456, 0.523456],
};

async function judge(validator: TestKey): Promise<void> {
  const { eval_run_id: id, agent_version_id: versionId } = await claim(validator);
  await untilTold('run-claimed', qualifyingRuns + raceRuns.length + 1);
  const { problems } = await okBody<{ problems: { metadata: { task_id: string } }[] }>(
    await validator.get(runPath(id, 'problems')),
  );
  const paid = rewards[versionId === first ? 0 : 1] ?? [];
  const tasks = problems.map(({ metadata }) => metadata as never);
  taskIds = problems.map(({ metadata }) => metadata.task_id);
  const results = tasks.map((task, index) =>
    episode(id, { suite, task }, { aggregate_reward: paid[index] }),
  );
  await sendResults(validator, results);
  const sum = paid.reduce((total, reward) => total + reward, 0);
  const score = Number((sum / paid.length).toFixed(6));
  raceRuns.push({ id, score });
  const body = { terminal_status: 'SUCCESS', validator_score: score };
  await okBody(await complete(validator, id, body));
}

test.serial('qualifying is told as it happens, with its scores', async (t) => {
  await untilTold('version-eligible', 2);
  t.deepEqual(names(), [
    'race-opened',
    ...['submission-accepted', 'run-claimed', 'run-ended', 'version-eligible'],
    ...['submission-accepted', 'run-claimed', 'run-ended', 'version-eligible'],
  ]);
  const [, , , ended, eligible] = feed.events.map(({ data }) => data);
  t.like(ended, {
    type: 'run-ended',
    agent_version_id: first,
    phase: 'QUALIFYING',
    race_id: null,
    status: 'SUCCESS',
    validator_score: 0.8,
  });
  t.like(eligible, { agent_version_id: first, agent_name: 'first', qualifying_score: 0.8 });
});

test.serial('while a race runs, nothing tells how', async (t) => {
  const current = await okBody<{ race: { race_id: string } }>(
    await service.call('GET', '/v1/public/races/current'),
  );
  raceId = current.race.race_id;
  for (const order of ['close-qualifying', 'start']) {
    const answer = await service.operator('POST', `/v1/admin/races/${raceId}/${order}`);
    t.is(answer.status, 200, await answer.text());
  }
  const pending = async () =>
    await okBody<{ total: number }>(await service.call('GET', '/v1/public/evaluations/pending'));
  await until(async () => (await pending()).total === 2);
  await untilTold('race-started', 1);
  await judge(judges[0]);
  await judge(judges[1]);
  // What comes after it in the feed is waited for, so that its absence is no delay.
  await judge(judges[0]);
  t.deepEqual(raceEnds(), []);
});

test.serial('a race that is complete tells its winner and no detail', async (t) => {
  await judge(judges[1]);
  await untilTold('code-released', 1);
  await untilTold('race-opened', 2);
  t.deepEqual(names().slice(9), [
    ...['race-closed', 'race-started'],
    ...['run-claimed', 'run-claimed', 'run-claimed', 'run-claimed'],
    ...['race-completed', 'top-changed', 'code-released', 'race-opened'],
  ]);
  const events = feed.events.map(({ data }) => data);
  const completed = events.find(({ type }) => type === 'race-completed');
  t.like(completed, { race_id: raceId, winner_agent_version_id: first, scored_count: 2 });
  t.like(
    events.find(({ type }) => type === 'top-changed'),
    { agent_version_id: first, race_id: raceId, reason: null },
  );
  t.like(
    events.find(({ type }) => type === 'code-released'),
    { agent_version_id: first, agent_name: 'first', version_number: 1, release_reason: 'TOP' },
  );
});

test.serial('before the end of the embargo no event holds a score or task of a run', async (t) => {
  const before = await service.advance(embargoSeconds - 600);
  t.is(typeof before, 'number');
  t.deepEqual(raceEnds(), []);
  const text = feed.text();
  const secrets = [
    ...taskIds,
    ...Object.values(rewards).flat().map(String),
    '0.612345',
    '0.573456',
  ];
  t.is(taskIds.length, 2);
  for (const secret of secrets) t.false(text.includes(secret), secret);
});

test.serial('the end of the embargo tells how each run ended, once', async (t) => {
  await service.advance(600);
  await until(() => raceEnds().length === 4);
  t.deepEqual(
    raceEnds().map((run) => [run.eval_run_id, run.race_id, run.status, run.validator_score]),
    raceRuns.map(({ id, score }) => [id, raceId, 'SUCCESS', score]),
  );
});

test.serial('code that only ages is released on time, and each version once', async (t) => {
  await service.advance(codeSeconds);
  // The order to the clock is answered when all that was due is told.
  const untold = await service.sql`
    select 1 from public_release where told_at is null and due_at <= rt.clock()`;
  t.is(untold.length, 0);
  const released = () =>
    feed.events.flatMap(({ data }) => (data.type === 'code-released' ? [data] : []));
  await until(() => released().length === 2);
  t.like(released()[1], { agent_version_id: second, release_reason: 'AGED' });
  const submitted = feed.events.find(
    ({ data }) => data.type === 'submission-accepted' && data.agent_version_id === second,
  );
  t.is(
    Date.parse(released()[1]?.at ?? '') - Date.parse(submitted?.data.at ?? ''),
    codeSeconds * 1000,
  );
});

test.serial('the whole feed has no gap and no repeat', async (t) => {
  const rows = await service.sql<{ count: number; newest: number; keys: number }[]>`
    select count(*)::int as count, max(cursor)::int as newest, count(distinct msg_id)::int as keys
    from public_event`;
  t.is(rows[0]?.count, rows[0]?.newest);
  t.is(rows[0]?.count, rows[0]?.keys);
  await until(() => feed.events.length === rows[0]?.count);
  t.deepEqual(
    feed.events.map(({ id, data }) => [id, data.cursor]),
    feed.events.map((_, index) => [String(index + 1), index + 1]),
  );
});
