import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import { askingRun, question } from '../../support/inference-desk.ts';
import { openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { refused } from '../routes/answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({
    env: {
      INFERENCE_TIMEOUT_SECONDS: '10',
      INFERENCE_FIRST_BYTE_SECONDS: '3',
      INFERENCE_CONCURRENT_PER_RUN: '1000',
      INFERENCE_BREAKER_FAILURES: '100000',
    },
  });
  await openTrialSuite(service, { requiredSuccesses: 1 });
});
test.after.always(() => service?.stop());
test.afterEach(() => service.providers.providera.heal());

const idle = () => until(() => service.providers.providera.counts.open === 0);

test.serial('a stream that does not begin in time is the outage of its provider', async (t) => {
  const run = await askingRun(service);
  for (const fault of [{ kind: 'hang' }, { kind: 'stall', afterChunks: 0 }] as const) {
    service.providers.providera.fail(fault, 'completions');
    const answer = await run.chat({ ...question(), stream: true });
    await refused(t, answer, '503 PROVIDER_UNAVAILABLE');
    await idle();
  }
  t.like(await run.usage(), [{ requests: 2, failures: 2 }]);
});

test.serial('what comes in one piece may come later than a stream begins', async (t) => {
  const run = await askingRun(service);
  service.providers.providera.set({ delayMs: 4_000 });
  t.is((await run.chat(question())).status, 200);
  service.providers.providera.set({ delayMs: 60_000 });
  await refused(t, await run.chat(question()), '503 PROVIDER_UNAVAILABLE');
  t.like(await run.usage(), [{ requests: 2, failures: 1 }]);
});

test.serial('a completion that never ends is cut off when its time is over', async (t) => {
  const run = await askingRun(service);
  service.providers.providera.fail({ kind: 'stall', afterChunks: 2 }, 'completions');
  const answer = await run.chat({ ...question(), stream: true });

  t.is(answer.status, 200);
  await t.throwsAsync(answer.text());
  await idle();
  await until(async () => (await run.usage()).length === 1);
  t.like(await run.usage(), [{ requests: 1, failures: 1 }]);
});

test.serial('agents that wait for models keep nobody else from the edge', async (t) => {
  const run = await askingRun(service);
  service.providers.providera.fail({ kind: 'hang' }, 'completions');
  const { counts } = service.providers.providera;
  const before = counts.requests;
  // More than may be in flight for a read to be let in.
  const waiting = Promise.all(Array.from({ length: 600 }, () => run.chat(question())));
  // A failure below ends the service, and these with it.
  waiting.catch(() => undefined);
  await until(() => counts.requests - before > 512, 55_000);
  const reads = await Promise.all(
    Array.from({ length: 20 }, () => service.call('GET', '/v1/public/suites')),
  );
  t.deepEqual(new Set(reads.map(({ status }) => status)), new Set([200]));
  const answers = await waiting;
  t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
});

test.serial('a run that outlives what its token was told asks on until it ends', async (t) => {
  const run = await askingRun(service);
  t.is((await run.chat(question())).status, 200);
  // As after an outage by which the run was given more time than anybody foresaw.
  await service.sql`
    update inference_token set expires_at = rt.clock() - interval '1 minute'
    where eval_run_id = ${run.evalRunId}`;
  t.is((await run.chat(question())).status, 200);
  await run.end();
  await refused(t, await run.chat(question()), '401 INVALID_SESSION');
});
