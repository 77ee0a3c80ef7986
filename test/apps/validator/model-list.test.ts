/** What an agent that names no model makes the validator ask: a public read, which is refused first of all. */
import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { ModelAccess } from '../../../apps/validator/run/model-access.ts';
import { ModelList } from '../../../apps/validator/run/model-list.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { listening } from '../../support/listening.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';
import { away, say } from './stub-service.ts';

type Answer = (response: ServerResponse) => void;

const lists =
  (...models: string[]): Answer =>
  (response) =>
    say(response, 200, { models });
const limited =
  (seconds: number): Answer =>
  (response) => {
    response.setHeader('retry-after', String(seconds));
    say(response, 429, { detail: 'Too many.', error_code: 'RATE_LIMITED' });
  };
const failed: Answer = (response) => say(response, 502, {});
const yes: Answer = (response) =>
  say(response, 200, { choices: [{ message: { content: 'yes' } }] });

/** A service that answers what is read and what is completed with the next of these, and at last with the last. */
async function openRun(
  t: ExecutionContext,
  given: { readonly reads: readonly Answer[]; readonly completions?: readonly Answer[] },
  clock: ManualClock | typeof systemClock = systemClock,
) {
  const [reads, completions] = [[...given.reads], [...(given.completions ?? [yes])]];
  const asked = { reads: 0, models: [] as string[] };
  const next = (answers: Answer[]) => (answers.length > 1 ? answers.shift() : answers[0]);
  const { origin } = await listening(t, async (request, response) => {
    const body = JSON.parse((await request.setEncoding('utf8').toArray()).join('') || 'null');
    if (request.method === 'POST') {
      asked.models.push(body.model);
      return next(completions)?.(response);
    }
    asked.reads += 1;
    next(reads)?.(response);
  });
  const token = {
    ...{ provider: 'providera', access_token: 'token', expires_at: '2026-01-01T00:00:00Z' },
    base_url: `${origin}/v1/inference/providera`,
  };
  const models = new ModelList(token, clock);
  const { signal } = new AbortController();
  const task = () => new ModelAccess({ models, clock, signal, taskSeconds: 60 });
  return { asked, models, task };
}

const question = { messages: [{ role: 'user', content: 'mug?' }], max_tokens: 1 };

test('the list is read once for all tasks of a run', async (t) => {
  const { asked, task } = await openRun(t, { reads: [lists('best', 'other')] });
  for (const access of [task(), task(), task()]) {
    t.deepEqual(await access.ask(question), { result: 'yes' });
    t.deepEqual(await access.ask(question), { result: 'yes' });
  }

  t.is(asked.reads, 1);
  t.deepEqual(new Set(asked.models), new Set(['best']));
});

test('a list that is refused for a while is a failure of nobody, and the agent is answered', async (t) => {
  const { asked, task } = await openRun(t, { reads: [away, limited(0), lists('best')] });
  const access = task();

  t.deepEqual(await access.ask(question), { result: 'yes' });
  t.like(access, { failures: 0, outages: 0 });
  t.is(asked.reads, 3);
});

test('it is asked again when the service said, and the time until then is none of a question’s', async (t) => {
  const clock = new ManualClock();
  // The provider never answers.
  const run = { reads: [limited(59), lists('best')], completions: [() => undefined] };
  const { asked, models, task } = await openRun(t, run, clock);
  const access = task();
  const answer = access.ask(question);
  await until(() => clock.isAwaited(59_000));
  await clock.advance(58_999);
  t.is(asked.reads, 1);
  await clock.advance(1);
  await until(() => asked.models.length === 1);

  t.is(asked.reads, 2);
  t.is(models.waitedMs, 59_000);
  t.deepEqual(access.end(), { unanswered: 0, silent: 0 });
  await answer;
});

test('a list that is not to be had is the platform’s, and neither the agent’s nor a provider’s', async (t) => {
  // Longer than a run waits in all.
  const { asked, task } = await openRun(t, { reads: [limited(3_600)] });
  const access = task();
  for (const reads of [1, 2]) {
    await t.throwsAsync(access.ask(question), { name: 'ModelsUnknown' });
    t.is(asked.reads, reads);
  }

  t.like(access, { failures: 0, outages: 0 });
  t.deepEqual(await access.ask({ ...question, model: 'm' }), { result: 'yes' });
});

test('a list without a model is no outage, for that lasts', async (t) => {
  const access = (await openRun(t, { reads: [lists()] })).task();

  t.deepEqual(await access.ask(question), {
    error: 'the provider of models has none that agents may call',
  });
  t.like(access, { failures: 1, outages: 0 });
});

test('a model that fails is looked for afresh, once in a task, and kept where nothing else is told', async (t) => {
  const reads = [lists('first'), away, lists('second')];
  const { asked, task } = await openRun(t, { reads, completions: [failed] });
  const first = task();
  for (let times = 0; times < 3; times++) await first.ask(question);
  t.deepEqual(asked.models, ['first', 'first', 'first']);
  t.is(asked.reads, 2);

  const second = task();
  for (let times = 0; times < 3; times++) await second.ask(question);
  t.deepEqual(asked.models.slice(3), ['first', 'second', 'second']);
  t.is(asked.reads, 3);
});

// By what is waited for in all: each pause by itself is short.
test('a run waits ten minutes in all for a service that turns its questions away', async (t) => {
  const clock = new ManualClock();
  const { models } = await openRun(t, { reads: [failed] }, clock);
  const { signal } = new AbortController();
  let count = 0;
  for (;;) {
    const paused = models.pause(0, { sinceMs: clock.monotonicMs(), wishSeconds: 60 }, signal);
    const waits = await Promise.race([paused, clock.advance(60_000).then(() => paused)]);
    if (!waits || count > 20) break;
    count += 1;
  }

  t.is(count, 10);
  t.is(models.waitedMs, 600_000);
});
