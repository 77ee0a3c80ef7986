/** A question to a model that the service itself has no room for, or that nobody hears: no provider was asked. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { ModelAccess } from '../../../apps/validator/run/model-access.ts';
import { ModelList } from '../../../apps/validator/run/model-list.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { freePort } from '../../../infra/local/free-port.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { listening } from '../../support/listening.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';
import { say } from './stub-service.ts';

const question = { messages: [{ role: 'user', content: 'mug?' }], model: 'm', max_tokens: 1 };
const yes = (response: ServerResponse) =>
  say(response, 200, { choices: [{ message: { content: 'yes' } }] });

const turnedAway =
  (error_code: string, seconds: number, more: object = {}) =>
  (response: ServerResponse) => {
    response.setHeader('retry-after', String(seconds));
    say(response, 503, { detail: 'Try again.', error_code, ...more });
  };

function accessTo(origin: string, clock: Clock = systemClock) {
  const token = {
    ...{ provider: 'providera', access_token: 'token', expires_at: '2026-01-01T00:00:00Z' },
    base_url: `${origin}/v1/inference/providera`,
  };
  const models = new ModelList(token, clock);
  const { signal } = new AbortController();
  const task = () => new ModelAccess({ models, clock, signal, taskSeconds: 60 });
  return { models, task };
}

/** Answers with the next of these, and at last with the last. */
async function serving(t: ExecutionContext, ...answers: ((response: ServerResponse) => void)[]) {
  const asked: number[] = [];
  const { origin } = await listening(t, (request, response) => {
    request.resume();
    asked.push(asked.length);
    (answers.length > 1 ? answers.shift() : answers[0])?.(response);
  });
  return { origin, asked };
}

for (const code of ['OVERLOADED', 'OUTCOME_UNKNOWN', 'STORAGE_UNAVAILABLE']) {
  test(`what the service refuses as ${code} is asked again, and the agent gets its answer`, async (t) => {
    const { origin, asked } = await serving(t, turnedAway(code, 0), turnedAway(code, 0), yes);
    const access = accessTo(origin).task();

    t.deepEqual(await access.ask(question), { result: 'yes' });
    t.like(access, { failures: 0, outages: 0 });
    t.is(asked.length, 3);
  });
}

test('it is asked when the service said, and the time until then is none of the task’s', async (t) => {
  const clock = new ManualClock();
  const { origin, asked } = await serving(t, turnedAway('OVERLOADED', 59), () => undefined);
  const { models, task } = accessTo(origin, clock);
  const access = task();
  const answer = access.ask(question);
  await until(() => clock.isAwaited(59_000));
  t.is(asked.length, 1);
  await clock.advance(59_000);
  await until(() => asked.length === 2);

  t.is(models.waitedMs, 59_000);
  t.deepEqual(access.end(), { unanswered: 0, silent: 0 });
  t.deepEqual(await answer, { error: 'the provider of models did not answer' });
});

test('nor is the time that the service takes to turn it away', async (t) => {
  const clock = new ManualClock();
  const refuse = turnedAway('OUTCOME_UNKNOWN', 59);
  const slow = (response: ServerResponse) => {
    clock.standStill(9_000);
    refuse(response);
  };
  const { origin, asked } = await serving(t, slow, yes);
  const { models, task } = accessTo(origin, clock);
  const answer = task().ask(question);
  await until(() => clock.isAwaited(68_000));
  await clock.advance(59_000);

  t.deepEqual(await answer, { result: 'yes' });
  t.is(asked.length, 2);
  t.is(models.waitedMs, 68_000);
});

test('whoever ends meanwhile is waited for no longer, and nobody is blamed', async (t) => {
  const clock = new ManualClock();
  const { origin } = await serving(t, turnedAway('OVERLOADED', 59));
  const access = accessTo(origin, clock).task();
  const answer = access.ask(question);
  await until(() => clock.isAwaited(59_000));

  t.deepEqual(access.end(), { unanswered: 0, silent: 0 });
  t.true('error' in (await answer));
  t.like(access, { failures: 0, outages: 0 });
});

test('past the patience of a run it is a failure, and not the agent’s', async (t) => {
  const { origin, asked } = await serving(t, turnedAway('OVERLOADED', 3_600));
  const access = accessTo(origin).task();

  t.deepEqual(await access.ask(question), { error: 'the provider of models answered 503' });
  t.like(access, { failures: 1, outages: 1 });
  t.is(asked.length, 1);
});

test('a provider that is away is asked once', async (t) => {
  const away = turnedAway('PROVIDER_UNAVAILABLE', 0, { provider_failed: true });
  const { origin, asked } = await serving(t, away);
  const access = accessTo(origin).task();

  t.deepEqual(await access.ask(question), { error: 'the provider of models answered 503' });
  t.like(access, { failures: 1, outages: 1 });
  t.is(asked.length, 1);
});

test('an edge that is started anew meanwhile costs no answer', async (t) => {
  const port = await freePort();
  const access = accessTo(`http://127.0.0.1:${port}`).task();
  const answer = access.ask(question);
  await systemClock.sleep(100);
  const server = createServer((request, response) => {
    request.resume();
    yes(response);
  }).listen(port, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');

  t.deepEqual(await answer, { result: 'yes' });
  t.like(access, { failures: 0, outages: 0 });
});
