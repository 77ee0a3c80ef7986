import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { ModelAccess } from '../../../apps/validator/run/model-access.ts';
import { ModelList } from '../../../apps/validator/run/model-list.ts';
import type { ModelToken } from '../../../apps/validator/run/model-service.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { completionBytesMax } from '../../../infra/ports/inference.ts';
import { listening } from '../../support/listening.ts';
import { type LongAnswer, sendLong, type Taken } from '../../support/long-answer.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function accessTo(token: ModelToken, clock: Clock = systemClock) {
  const { signal } = new AbortController();
  const models = new ModelList(token, clock);
  return new ModelAccess({ models, clock, signal, taskSeconds: 60 });
}

const question = { messages: [{ role: 'user', content: 'mug?' }], model: 'm', max_tokens: 1 };

const anyToken = {
  provider: 'providera',
  access_token: 'token',
  base_url: 'http://127.0.0.1:1/v1/inference',
  expires_at: '2026-01-01T00:00:00Z',
} as const;

const tokenFor = (origin: string) => ({ ...anyToken, base_url: `${origin}/v1/inference` });

interface Told {
  readonly status: number;
  readonly body: object;
}

/** What an agent is told by a service that answers its question so, and what is counted of it. */
async function asked(t: ExecutionContext, { status, body }: Told) {
  const { origin } = await listening(t, (request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const access = accessTo(tokenFor(origin));
  const answer = await access.ask(question);
  return { answer, failures: access.failures, outages: access.outages };
}

test('an agent that names its model needs no list of them, and gets its answer', async (t) => {
  // The same answer goes to whoever asks for the list, which it is not.
  const body = { choices: [{ message: { content: 'a mug' } }] };

  t.deepEqual(await asked(t, { status: 200, body }), {
    ...{ answer: { result: 'a mug' }, failures: 0, outages: 0 },
  });
});

test('a limit of the service that an agent has used up is no failure of the provider', async (t) => {
  const body = { detail: 'The last completions are under way.', error_code: 'RATE_LIMITED' };

  const { answer, failures } = await asked(t, { status: 429, body });

  t.deepEqual(answer, { error: 'the service answered 429 RATE_LIMITED' });
  t.is(failures, 0);
});

test('a model that agents may not call is no failure of the provider', async (t) => {
  const body = { detail: 'Agents may not call this model.', error_code: 'MODEL_NOT_ALLOWED' };

  const { answer, failures } = await asked(t, { status: 403, body });

  t.deepEqual(answer, { error: 'the service answered 403 MODEL_NOT_ALLOWED' });
  t.is(failures, 0);
});

test('a run that has spent its own cap is no account without credit', async (t) => {
  const body = { detail: 'All is spent.', error_code: 'SPEND_LIMIT_REACHED' };

  const { answer, failures } = await asked(t, { status: 402, body });

  t.deepEqual(answer, { error: 'the service answered 402 SPEND_LIMIT_REACHED' });
  t.is(failures, 0);
});

for (const [status, error_code] of [
  [413, 'BODY_TOO_LARGE'],
  [422, 'VALIDATION_FAILED'],
] as const) {
  test(`a question that the service refuses as ${error_code} is none that the provider refused`, async (t) => {
    const { answer, failures } = await asked(t, { status, body: { detail: 'No.', error_code } });

    t.deepEqual(answer, { error: `the service answered ${status} ${error_code}` });
    t.is(failures, 0);
  });
}

const away = { detail: 'The provider answers 502.', error_code: 'PROVIDER_UNAVAILABLE' };
for (const { status, body, outages } of [
  { status: 429, body: { detail: 'slow down' }, outages: 0 },
  { status: 429, body: { error: { code: 'RATE_LIMITED' } }, outages: 0 },
  { status: 500, body: {}, outages: 1 },
  { status: 503, body: { ...away, detail: 'nobody serves it' }, outages: 0 },
  { status: 503, body: { ...away, provider_failed: true }, outages: 1 },
]) {
  const shown = `${status} ${JSON.stringify(body)}`;
  const told = outages === 0 ? 'which an agent may have brought about' : 'and of nobody else';
  test(`${shown} is a failure of the provider, ${told}`, async (t) => {
    t.like(await asked(t, { status, body }), { failures: 1, outages });
  });
}

// A model that thinks until its tokens are used up, or calls a tool: the provider has answered what was asked.
for (const message of [{ content: null }, { refusal: 'no' }, { content: '' }]) {
  test(`an answer without words is no failure: ${JSON.stringify(message)}`, async (t) => {
    const body = { choices: [{ message }] };
    t.deepEqual(await asked(t, { status: 200, body }), {
      ...{ answer: { result: '' }, failures: 0, outages: 0 },
    });
  });
}

test('an answer in a form of its own is no outage', async (t) => {
  const body = { choices: [{ text: 'yes' }] };
  t.like(await asked(t, { status: 200, body }), { failures: 1, outages: 0 });
});

for (const body of [{}, [], { choices: [] }, { error: { message: 'overloaded', code: 502 } }]) {
  test(`an answer without any is an outage: ${JSON.stringify(body)}`, async (t) => {
    t.like(await asked(t, { status: 200, body }), { failures: 1, outages: 1 });
  });
}

test('events, for which nobody asked, are none', async (t) => {
  const { origin } = await listening(t, (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n');
  });
  const access = accessTo(tokenFor(origin));

  t.deepEqual(await access.ask(question), { error: 'the provider of models did not answer' });
  t.like(access, { failures: 1, outages: 0 });
});

test('who does not answer at all is away', async (t) => {
  const { origin } = await listening(t, (request) => request.socket.destroy());
  const access = accessTo(tokenFor(origin));

  t.deepEqual(await access.ask(question), { error: 'the provider of models did not answer' });
  t.like(access, { failures: 1, outages: 1 });
});

const bytesMax = completionBytesMax;

const [wordsStart, wordsEnd] = ['{"choices":[{"message":{"content":"', '"}}]}'];

/** What an agent is told of an answer of this length, and how much of it was taken. */
async function askedAtLength(t: ExecutionContext, long: Partial<LongAnswer>) {
  const taken: Promise<Taken>[] = [];
  const { origin } = await listening(t, (request, response) => {
    request.resume();
    taken.push(sendLong(response, { start: wordsStart, end: wordsEnd, bytes: 0, ...long }));
  });
  const access = accessTo(tokenFor(origin));
  const answer = await access.ask(question);
  const [sent] = await Promise.all(taken);
  return { answer, sent, failures: access.failures, outages: access.outages };
}

test('an answer as long as the service passes one on is read', async (t) => {
  const bytes = bytesMax - wordsStart.length - wordsEnd.length;
  const { answer, ...counted } = await askedAtLength(t, { bytes });

  t.is('result' in answer ? String(answer.result).length : answer.error, bytes);
  t.like(counted, { failures: 0, outages: 0 });
});

test('a longer one is heard no further, and the agent is told what the provider did', async (t) => {
  const { answer, sent, ...counted } = await askedAtLength(t, { bytes: 16 * bytesMax });

  t.deepEqual(answer, { error: `the provider of models answered more than ${bytesMax} bytes` });
  t.deepEqual(counted, { failures: 1, outages: 1 });
  t.like(sent, { isWhole: false });
  // What the connection holds comes on top.
  t.true(Number(sent?.bytes) < 8 * bytesMax, `${sent?.bytes} bytes were taken`);
});

test('of a refusal without end its status counts, as of one that cannot be read', async (t) => {
  const long = { start: '{"detail":"', end: '"}', bytes: 16 * bytesMax };
  const refused = await askedAtLength(t, { status: 429, ...long });
  const failed = await askedAtLength(t, { status: 502, ...long });

  t.deepEqual(refused.answer, { error: 'the provider of models answered 429' });
  t.like(refused, { failures: 1, outages: 0, sent: { isWhole: false } });
  t.deepEqual(failed.answer, { error: 'the provider of models answered 502' });
  t.like(failed, { failures: 1, outages: 1, sent: { isWhole: false } });
});

// Three bytes of text each, and seventy once they are parsed.
test('an answer of a million lists is not parsed', async (t) => {
  const body = { choices: [{ message: { content: 'yes' } }], more: Array(1_000_000).fill([]) };

  t.deepEqual(await asked(t, { status: 200, body }), {
    answer: { error: 'the provider of models answered more than 200000 lists, objects and texts' },
    ...{ failures: 1, outages: 1 },
  });
});

test('what the provider refuses of a question is the agent’s own affair', async (t) => {
  t.is((await asked(t, { status: 400, body: { detail: 'no' } })).failures, 0);
});

for (const [seconds, maxTokens, unanswered, silent] of [
  [29, 1, 0, 0],
  [30, 1, 1, 1],
  [30, 600, 1, 1],
  [30, 601, 1, 0],
  [59, 8_192, 1, 0],
] as const) {
  test(`a question for ${maxTokens} tokens that waited for ${seconds} of 60 s is ${unanswered} unanswered, ${silent} silent`, async (t) => {
    const { server, origin } = await listening(t);
    const clock = new ManualClock();
    const access = accessTo(tokenFor(origin), clock);
    const answer = access.ask({ ...question, max_tokens: maxTokens });
    await once(server, 'request');

    await clock.advance(seconds * 1_000);
    t.deepEqual(access.end(), { unanswered, silent });

    t.deepEqual(await answer, { error: 'the provider of models did not answer' });
    t.like(access, { failures: 0, outages: 0 });
  });
}

// Comparing or showing it throws; its length is looked at by whoever takes it for a text or a list.
const nasty = { toString: 1, valueOf: 1 };
for (const given of [
  { messages: { length: nasty } },
  { messages: [{ role: { length: nasty }, content: 'mug?' }] },
  { messages: [{ role: 'user', content: { length: nasty } }] },
  { model: { length: nasty } },
  { max_tokens: nasty },
]) {
  test(`a model asked with ${JSON.stringify(given)} is no error of the environment`, async (t) => {
    const token = { ...{ provider: 'p', access_token: 't' }, base_url: 'http://127.0.0.1:1' };
    const access = accessTo({ ...token, expires_at: '2026-01-01T00:00:00Z' });

    const answer = await access.ask({ ...question, ...given });

    t.regex(JSON.stringify(answer), /"error":"ask_model: (messages|model|max_tokens)/);
    t.is(access.failures, 0);
  });
}

test('no JSON that a model is asked with is an error of the environment', async (t) => {
  // Says which model is best, and answers no question.
  const { origin } = await listening(t, ({ method }, response) => {
    response.writeHead(method === 'GET' ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ models: ['m'] }));
  });
  const access = accessTo(tokenFor(origin));
  const messages = fc.array(
    fc.record({ role: fc.jsonValue(), content: fc.oneof(fc.string(), fc.jsonValue()) }),
  );
  const given = fc.record(
    {
      messages: fc.oneof(messages, fc.constant(question.messages), fc.jsonValue()),
      model: fc.oneof(fc.constant('m'), fc.jsonValue()),
      max_tokens: fc.oneof(
        fc.constantFrom(-1, 1, 1.5, 8192, Number.POSITIVE_INFINITY),
        fc.jsonValue(),
      ),
    },
    { requiredKeys: [] },
  );
  const property = fc.asyncProperty(given, async (asked) => 'error' in (await access.ask(asked)));

  await t.notThrowsAsync(fc.assert(property, { numRuns: 300 }));
});

// Each was judged, and nine seconds went by in which no time limit was looked at.
test('of a million messages that are none the first is told', async (t) => {
  const access = accessTo(anyToken);
  const messages = Array.from({ length: 1_000_000 }, () => 1);

  t.deepEqual(await access.ask({ messages, max_tokens: 1 }), {
    error: 'ask_model: messages: each is to have a role and a content',
  });
});

/** The question as the service gets it, and what the agent is told of an answer in these words. */
async function sentAndSaid(t: ExecutionContext, given: object, content = 'yes') {
  const bodies: string[] = [];
  const { origin } = await listening(t, (request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.end(JSON.stringify({ choices: [{ message: { content } }] }));
    });
  });
  const answer = await accessTo(tokenFor(origin)).ask({ ...question, ...given });
  return { answer, bodies };
}

test('a conversation of thousands of turns, or of one long text, is asked as it is', async (t) => {
  const turn = { role: 'user', content: 'mug?' };
  for (const messages of [
    Array(9_000).fill(turn),
    [{ role: 'user', content: 'ж'.repeat(1_900_000) }],
  ]) {
    const { answer, bodies } = await sentAndSaid(t, { messages });

    t.deepEqual(answer, { result: 'yes' });
    t.deepEqual(JSON.parse(bodies[0] ?? '').messages, messages);
  }
});

test('half of a surrogate pair is asked and answered as the sign that stands for it', async (t) => {
  const messages = [{ role: 'user', content: 'a\ud800b' }];
  const { answer, bodies } = await sentAndSaid(t, { messages }, 'c\udc00d');

  t.deepEqual(answer, { result: 'c\ufffdd' });
  t.is(JSON.parse(bodies[0] ?? '').messages[0].content, 'a\ufffdb');
});

test('a NUL, which the service would refuse, is told to the agent', async (t) => {
  const { answer, bodies } = await sentAndSaid(t, { messages: [{ role: 'user', content: '\0' }] });

  t.deepEqual(answer, { error: 'ask_model: messages.0.content: no model is asked with a NUL' });
  t.deepEqual(bodies, []);
});
