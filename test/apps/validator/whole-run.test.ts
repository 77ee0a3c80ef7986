/** Runs from their claim to what becomes of them, against a service that is a stub. */
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';
import { away, say } from './stub-service.ts';
import { openStubShop } from './stub-shop.ts';

test('an agent that nests its arguments without end fails by its own fault', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 5 });
  const many = (sign: string) => `$(head -c 50000 /dev/zero | tr '\\0' '${sign}')`;
  const nested = `"${many('[')}" "${many(']')}"`;

  const { completion } = await play(
    `printf '{"call":"x","arguments":{"a":%s%s}}\\n' ${nested} >&3; read -r answer <&3`,
  );

  t.deepEqual(stub.askedFor('/release'), []);
  t.like(completion, { terminal_status: 'FAILED', failure_class: 'AGENT' });
  t.regex(String(completion?.['failure_reason']), /^protocol: /);
});

test('the code of an agent is fetched while its address lives, whatever the pack takes', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 1 });
  const isFetched = () => stub.askedFor('/archive').length > 0;
  stub.answers.set('/code', (response) => response.writeHead(isFetched() ? 403 : 200).end('code'));

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS', validator_score: 0 });
});

test('a pack and a roster that nobody has room for are asked for again, of a race as well', async (t) => {
  const race = 'd2719b1a-0000-4000-8000-000000000000';
  const claimed = { phase: 'RACE', race_id: race } as const;
  const { stub, play } = await openStubShop(t, { taskCount: 1, claimed });
  for (const end of [`/race/${race}/pack`, '/run/problems']) {
    const answer = stub.answers.get(end);
    stub.answers.set(end, (response, asked) =>
      stub.askedFor(end).length < 3 ? away(response) : answer?.(response, asked),
    );
  }

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS' });
  t.is(stub.askedFor(`/race/${race}/pack`).length, 3);
  t.deepEqual(stub.askedFor('/release'), []);
});

test('an edge that never answers for a pack is asked again, and the code does not wait for it', async (t) => {
  let laterMs = 0;
  const monotonicMs = () => systemClock.monotonicMs() + laterMs;
  const sleep = async (ms: number, signal?: AbortSignal) => {
    const untilMs = monotonicMs() + ms;
    while (monotonicMs() < untilMs && signal?.aborted !== true)
      await systemClock.sleep(Math.min(100, untilMs - monotonicMs()), signal);
  };
  const clock = { ...systemClock, monotonicMs, sleep };
  const race = 'd2719b1a-0000-4000-8000-000000000000';
  const { stub, play } = await openStubShop(t, {
    taskCount: 1,
    claimed: { phase: 'RACE', race_id: race },
    started: { clock },
  });
  const asked = () => stub.askedFor(`/race/${race}/pack`).length;
  const answer = stub.answers.get(`/race/${race}/pack`);
  stub.answers
    .set('/code', (response) => void response.end('code'))
    .set(`/race/${race}/pack`, async (response, one) => {
      if (asked() > 1) return answer?.(response, one);
      await until(() => stub.askedFor('/code').length > 0);
      laterMs += 61_000;
    });

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS' });
  t.is(asked(), 2);
  t.deepEqual(stub.askedFor('/release'), []);
});

test('results are not kept back for long, however many are to go at once', async (t) => {
  let laterMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs };
  const started = { clock, env: { VALIDATOR_BATCH_SIZE: '500' } };
  const { stub, play } = await openStubShop(t, { taskCount: 5, started });
  stub.answers.set('/put', (response) => {
    // As if each task had taken five minutes.
    laterMs += 300_000;
    say(response, 200, {});
  });

  await play('true');

  const sent = stub.askedFor('/episode-results').map(({ body }) => JSON.parse(body).results.length);
  t.deepEqual(sent, [3, 2]);
});

/** A dozen calls of nearly 4 MB each. */
const longCalls = `long=$(head -c 3900000 /dev/zero | tr '\\0' x); for each in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '{"call":"search","arguments":{"query":"%s"}}\\n' "$long" >&3; read -r answer <&3; done`;

test('a run of conversations that no artifact holds is completed, each step with its place', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 1 });

  const { completion } = await play(longCalls);

  t.like(completion, { terminal_status: 'SUCCESS' });
  const [put] = stub.askedFor('/put');
  const { steps } = JSON.parse(put?.body ?? '');
  t.true((put?.body.length ?? 0) < 9_000_000);
  t.is(steps.length, 12);
  t.is(steps[0].arguments.query.length, 3_900_000);
  t.like(steps[11], {
    arguments: null,
    left_out_bytes: { arguments: 3_900_012 },
    at_ms: steps[11].at_ms,
  });
  t.is(JSON.parse(stub.askedFor('/episode-results')[0]?.body ?? '').results[0].step_count, 12);
});

test('a run whose episodes are too large for its service is completed without them', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 1 });
  stub.answers.set('/episode-artifacts/presign', (response) =>
    say(response, 422, { detail: 'Too large.', error_code: 'FILE_TOO_LARGE' }),
  );

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS' });
  t.deepEqual(stub.askedFor('/release'), []);
  t.is(JSON.parse(stub.askedFor('/episode-results')[0]?.body ?? '').results[0].ledger_uri, null);
});

const unavailable = { detail: 'No.', error_code: 'PROVIDER_UNAVAILABLE' };
const failed = { ...unavailable, provider_failed: true };
const completed = { choices: [{ message: { content: 'yes' } }] };
const ask = (model: string | null) =>
  `echo '{"call":"ask_model","arguments":{"messages":[{"role":"user","content":"?"}],"model":${JSON.stringify(model)},"max_tokens":9}}' >&3; read -r answer <&3`;
const list = '/models?provider=providera&ranked=true';

/** How a run of five tasks ends whose agent swallows what it is told, and orders nothing. */
async function endedWith(
  t: ExecutionContext,
  { script, answerTo }: { script: string; answerTo: (model: string) => [number, object] },
) {
  const { stub, play } = await openStubShop(t, { taskCount: 5, token: 'secret' });
  stub.answers
    .set(list, (response) => say(response, 200, { models: ['ranked'] }))
    .set('/chat/completions', (response, { body }) =>
      say(response, ...answerTo(JSON.parse(body).model)),
    );
  const { completion } = await play(script);
  const asked = stub.askedFor('/chat/completions').map(({ body }) => JSON.parse(body));
  return { completion, asked };
}

test('a run whose tasks are lost to a provider that fails whoever asks is the provider’s', async (t) => {
  const { completion, asked } = await endedWith(t, {
    script: ask('m'),
    answerTo: () => [503, failed],
  });

  t.like(completion, { terminal_status: 'FAILED', failure_class: 'PROVIDER' });
  // Two of five are more than may be lost; the validator asks once for each.
  t.deepEqual(
    asked.map(({ model, max_tokens }) => [model, max_tokens]),
    [
      ['m', 9],
      ['ranked', 1],
      ['m', 9],
      ['ranked', 1],
    ],
  );
});

test('a question that is bound to fail makes no task void, where the provider answers another', async (t) => {
  const { completion } = await endedWith(t, {
    script: ask('cold'),
    answerTo: (model) => (model === 'cold' ? [503, failed] : [200, completed]),
  });

  t.like(completion, { terminal_status: 'SUCCESS', validator_score: 0 });
});

test('nor does a question that failed once, and was answered when it was repeated', async (t) => {
  let count = 0;
  const { completion } = await endedWith(t, {
    script: `${ask('m')}; ${ask('m')}`,
    answerTo: () => (++count % 3 === 1 ? [503, failed] : [200, completed]),
  });

  t.like(completion, { terminal_status: 'SUCCESS', validator_score: 0 });
});

test('a model that nobody serves makes no task void', async (t) => {
  const { completion, asked } = await endedWith(t, {
    script: ask('m'),
    answerTo: () => [503, unavailable],
  });

  t.like(completion, { terminal_status: 'SUCCESS', validator_score: 0 });
  t.is(asked.length, 5);
});

test('a run reads once which models there are, however many of its tasks leave the choice to it', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 5, token: 'secret' });
  stub.answers
    .set(list, (response) => say(response, 200, { models: ['ranked'] }))
    .set('/chat/completions', (response) => say(response, 200, completed));

  await play(`${ask(null)}; ${ask(null)}`);

  t.is(stub.askedFor('/chat/completions').length, 10);
  t.is(stub.askedFor(list).length, 1);
});

test('where the service never says which models there are, neither agent nor provider is blamed', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 5, token: 'secret' });
  stub.answers.set(list, (response) => {
    // Longer than any run waits.
    response.setHeader('retry-after', '3600');
    say(response, 429, { detail: 'Too many.', error_code: 'RATE_LIMITED' });
  });

  const { completion } = await play(ask(null));

  // The service makes a run of the platform's fault of it, for these are more than 30 % of the roster.
  t.like(completion, { terminal_status: 'SUCCESS' });
  t.is(completion?.['failure_class'], undefined);
  const sent = stub.askedFor('/episode-results').map(({ body }) => JSON.parse(body).results);
  const outcomes = sent.flat().map(({ outcome }) => outcome);
  t.deepEqual(outcomes, Array(5).fill('environment_error'));
  t.deepEqual(stub.askedFor('/chat/completions'), []);
});

test('the time in which it does not say so is none of a task’s', async (t) => {
  const clock = new ManualClock();
  const started = { clock };
  const { stub, play } = await openStubShop(t, { taskCount: 1, token: 'secret', started });
  stub.answers
    .set(list, (response) => {
      stub.answers.set(list, (again) => say(again, 200, { models: ['ranked'] }));
      // A task has a minute.
      response.setHeader('retry-after', '70');
      say(response, 429, { detail: 'Too many.', error_code: 'RATE_LIMITED' });
    })
    .set('/chat/completions', (response) => say(response, 200, completed));
  const played = play(ask(null));
  await until(() => clock.isAwaited(70_000));

  await clock.advance(70_000);

  t.like((await played).completion, { terminal_status: 'SUCCESS' });
  const [sent] = stub.askedFor('/episode-results').map(({ body }) => JSON.parse(body).results);
  t.like(sent[0], { outcome: 'partial', step_count: 1, wall_seconds: 70 });
});
