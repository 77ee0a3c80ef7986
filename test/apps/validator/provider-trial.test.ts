import type { RequestListener, ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { ModelList } from '../../../apps/validator/run/model-list.ts';
import { isProviderAway } from '../../../apps/validator/run/provider-trial.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { completionBytesMax } from '../../../infra/ports/inference.ts';
import { listening } from '../../support/listening.ts';
import { sendLong, type Taken } from '../../support/long-answer.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';

const listed = (response: ServerResponse, models = ['best']) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ models }));
};

async function openService(t: ExecutionContext, complete: RequestListener, list = listed) {
  const { origin } = await listening(t, (request, response) => {
    request.resume();
    if (request.method === 'POST') return complete(request, response);
    list(response);
  });
  const token = {
    ...{ provider: 'providera', access_token: 'token', expires_at: '2026-01-01T00:00:00Z' },
    base_url: `${origin}/v1/inference`,
  };
  const { signal } = new AbortController();
  return (clock: Clock = systemClock) =>
    isProviderAway({ models: new ModelList(token, clock), clock, signal });
}

const said = { choices: [{ message: { content: 'yes' } }] };
const unavailable = { detail: 'no', error_code: 'PROVIDER_UNAVAILABLE' };
for (const [status, body, isAway] of [
  [200, said, false],
  [200, { choices: [] }, true],
  [200, { error: { message: 'upstream overloaded', code: 502 } }, true],
  [200, null, true],
  [400, { detail: 'no' }, false],
  [401, { detail: 'no' }, false],
  [429, { detail: 'slow down' }, false],
  [429, { error_code: 'RATE_LIMITED' }, false],
  [503, unavailable, false],
  [503, { ...unavailable, provider_failed: true }, true],
  [502, {}, true],
] as const) {
  test(`${status} ${JSON.stringify(body)} says that the provider is ${isAway ? 'away' : 'there'}`, async (t) => {
    const ask = await openService(t, (_, response) => {
      response.writeHead(status).end(JSON.stringify(body));
    });

    t.is(await ask(), isAway);
  });
}

test('what the service itself turns away says nothing of the provider, and is asked again', async (t) => {
  const answers = [
    [503, { detail: 'no', error_code: 'OVERLOADED' }],
    [200, said],
  ] as const;
  let asked = 0;
  const ask = await openService(t, (_, response) => {
    const [status, body] = answers[asked] ?? [502, {}];
    asked += 1;
    response.writeHead(status).end(JSON.stringify(body));
  });

  t.false(await ask());
  t.is(asked, 2);
});

test('of events, for which nobody asked, the status says enough', async (t) => {
  const ask = await openService(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n');
  });

  t.false(await ask());
});

test('who hangs up or breaks off is away', async (t) => {
  const hangsUp = await openService(t, (request) => request.socket.destroy());
  const breaksOff = await openService(t, (request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{');
    setImmediate(() => request.socket.destroy());
  });

  t.true(await hangsUp());
  t.true(await breaksOff());
});

const away = (response: ServerResponse) => response.writeHead(502).end('{}');
for (const [what, list] of [
  [
    'is refused with 429',
    (response: ServerResponse) => {
      response.writeHead(429, { 'retry-after': '3600' }).end('{"error_code":"RATE_LIMITED"}');
    },
  ],
  [
    'is refused with 503',
    (response: ServerResponse) => {
      response.writeHead(503, { 'retry-after': '3600' }).end('{"error_code":"OVERLOADED"}');
    },
  ],
  ['names none that an agent may call', (response: ServerResponse) => listed(response, [])],
] as const) {
  test(`a list of models that ${what} says nothing of the provider`, async (t) => {
    const ask = await openService(t, (_, response) => away(response), list);

    t.false(await ask());
  });
}

test('nor does one that does not come in half a minute', async (t) => {
  let isAsked = false;
  const ask = await openService(
    t,
    (_, response) => away(response),
    () => {
      isAsked = true;
    },
  );
  const clock = new ManualClock();
  const answered = ask(clock);
  await until(() => isAsked);

  await clock.advance(30_000);

  t.false(await answered);
});

test('who answers one word without end is away, and is heard no further', async (t) => {
  const taken = Promise.withResolvers<Taken>();
  const long = { start: '{"choices":"', end: '"}', bytes: 16 * completionBytesMax };
  const ask = await openService(t, (_, response) => taken.resolve(sendLong(response, long)));

  t.true(await ask());
  t.false((await taken.promise).isWhole);
});

test('a refusal without end is a refusal', async (t) => {
  const long = { start: '{"detail":"', end: '"}', bytes: 16 * completionBytesMax };
  const ask = await openService(t, (_, response) => {
    void sendLong(response, { status: 429, ...long });
  });

  t.false(await ask());
});

test('who says nothing for half a minute is away', async (t) => {
  let isAsked = false;
  const ask = await openService(t, () => {
    isAsked = true;
  });
  const clock = new ManualClock();
  const away = ask(clock);
  await until(() => isAsked);

  await clock.advance(30_000);

  t.true(await away);
});

test('a run without a token has no provider that could be away', async (t) => {
  const { signal } = new AbortController();

  t.false(await isProviderAway({ models: null, clock: systemClock, signal }));
});
