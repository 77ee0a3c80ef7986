import type { IncomingMessage, ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import type { Call, Given } from '../../../apps/cli/client/call.ts';
import { bearer } from '../../../apps/cli/client/credentials.ts';
import { Refusal, Unanswered } from '../../../apps/cli/client/refusal.ts';
import { type ClientOptions, sender } from '../../../apps/cli/client/send.ts';
import type { ServerEvent } from '../../../apps/cli/client/server-events.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { listening } from '../../support/listening.ts';
import { ManualClock } from '../../support/manual-clock.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, turn: number) => void;

/** A service that answers as told; `asked` are the requests that reached it. */
async function service(t: ExecutionContext, answer: Answer, options: Partial<ClientOptions> = {}) {
  const asked: {
    method?: string;
    url?: string;
    headers: IncomingMessage['headers'];
    body: string;
  }[] = [];
  const { origin } = await listening(t, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url = '', headers } = request;
    asked.push({ method, url, headers, body });
    answer(request, response, asked.length);
  });
  const baseUrl = `${origin}/`;
  return { asked, send: sender({ baseUrl, clock: systemClock, ...options }) };
}

function say(response: ServerResponse, status: number, body: unknown, headers: object = {}) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

const read: Call = { method: 'GET', path: '/things/{id}', proof: 'none', query: ['limit', 'q'] };
const thing: Given = { ...{ id: 1 } };
const feed: Call = { ...read, answers: ['text/event-stream'] };
const order: Call = {
  ...{
    method: 'POST',
    path: '/orders',
    proof: 'operator',
    query: [],
    bodyType: 'application/json',
  },
  headers: { 'Idempotency-Key': 'idempotencyKey' },
};
const overloaded = { detail: 'Try again soon.', error_code: 'OVERLOADED', retry_after_seconds: 1 };

test('what is given goes where the call says, and what is left out goes nowhere', async (t) => {
  const { asked, send } = await service(t, (_request, response) => say(response, 200, { ok: 1 }));
  const given = { id: 'a/b', limit: 5, q: undefined };
  t.deepEqual(await send(read, given), { ok: 1 });
  t.is(asked[0]?.url, '/things/a%2Fb?limit=5');
  t.is(asked[0]?.headers.authorization, undefined);
});

test('an order carries its proof, its key and its body', async (t) => {
  const credentials = { operator: bearer('secret') };
  const { asked, send } = await service(t, (_request, response) => say(response, 200, null), {
    credentials,
  });
  await send(order, { body: { reason: 'ü' }, idempotencyKey: 'once' });
  const [{ headers, body } = { headers: {}, body: '' }] = asked;
  t.is(headers.authorization, 'Bearer secret');
  t.is(headers['idempotency-key'], 'once');
  t.is(headers['content-type'], 'application/json');
  t.deepEqual(JSON.parse(body), { reason: 'ü' });
});

test('a form goes as multipart with its file', async (t) => {
  const { asked, send } = await service(t, (_request, response) => say(response, 200, {}));
  const call = { ...order, bodyType: 'multipart/form-data' };
  await send(call, { body: { agent_name: 'x', file: new File(['print()'], 'x.py') } });
  t.regex(asked[0]?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
  t.regex(asked[0]?.body ?? '', /name="file"; filename="x\.py"[\s\S]*print\(\)/);
});

test('204 is undefined, and text is text', async (t) => {
  const { send } = await service(t, (_request, response, turn) => {
    if (turn === 1) response.writeHead(204).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>');
  });
  const page = { ...read, answers: ['text/html', ''] };
  t.is(await send(page, thing), undefined);
  t.is(await send(page, thing), '<p>');
});

test('a refusal says its code, its extras, when to come back and which request it was', async (t) => {
  const { send } = await service(t, (_request, response) =>
    say(
      response,
      429,
      { detail: 'Later.', error_code: 'COOLDOWN_ACTIVE', remaining_seconds: 7 },
      {
        'retry-after': '7',
        'x-request-id': 'abc',
      },
    ),
  );
  const refusal = await t.throwsAsync(send(order, {}), { instanceOf: Refusal });
  t.like(refusal, { status: 429, code: 'COOLDOWN_ACTIVE', retryAfterSeconds: 7, requestId: 'abc' });
  t.like(refusal.body, { remaining_seconds: 7 });
  t.regex(refusal.message, /POST \/orders was refused: 429 COOLDOWN_ACTIVE: Later\./);
});

test('the 422 that names fields has a code of its own', async (t) => {
  const detail = [{ loc: ['query', 'limit'], msg: 'too big', type: 'x', input: 1, ctx: {} }];
  const { send } = await service(t, (_request, response) => say(response, 422, { detail }));
  const refusal = await t.throwsAsync(send(read, thing), { instanceOf: Refusal });
  t.is(refusal.code, 'VALIDATION_FAILED');
});

test('a read is asked again while the service has no room', async (t) => {
  const { asked, send } = await service(
    t,
    (_request, response, turn) => say(response, turn < 3 ? 503 : 200, overloaded),
    { patienceMs: 20_000 },
  );
  await send(read, thing);
  t.is(asked.length, 3);
});

test('an order is asked again under its key only', async (t) => {
  const { asked, send } = await service(
    t,
    (_request, response, turn) => say(response, turn === 2 ? 200 : 503, overloaded),
    { patienceMs: 20_000 },
  );
  await send(order, { body: {}, idempotencyKey: 'once' });
  t.is(asked.length, 2);
  await t.throwsAsync(send(order, { body: {} }), { instanceOf: Refusal });
  t.is(asked.length, 3);
});

test('who waits for nothing asks once', async (t) => {
  const { asked, send } = await service(t, (_request, response) => say(response, 503, overloaded));
  await t.throwsAsync(send(read, thing), { instanceOf: Refusal });
  t.is(asked.length, 1);
});

test('a service that says nothing is given up in time', async (t) => {
  const { send } = await service(t, () => undefined, { timeoutMs: 50 });
  await t.throwsAsync(send(read, thing), {
    instanceOf: Unanswered,
    message: /no answer within 50 ms/,
  });
});

test('an answer that stalls after its head is given up in time', async (t) => {
  const { send } = await service(
    t,
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"ok":');
    },
    { timeoutMs: 50 },
  );
  await t.throwsAsync(send(read, thing), {
    instanceOf: Unanswered,
    message: /no (whole )?answer within 50 ms/,
  });
});

test('so is a file that stalls, and a refusal', async (t) => {
  const { send } = await service(
    t,
    (_request, response, turn) => {
      const type = turn === 1 ? 'application/gzip' : 'application/json';
      response.writeHead(turn === 1 ? 200 : 422, { 'content-type': type }).write('{');
    },
    { timeoutMs: 50 },
  );
  const file = { ...read, answers: ['application/gzip'] };
  const late = { instanceOf: Unanswered, message: /no (whole )?answer within 50 ms/ };
  await t.throwsAsync(send(file, thing), late);
  await t.throwsAsync(send(file, thing), late);
});

test('an answer that breaks off is asked for again', async (t) => {
  const { asked, send } = await service(
    t,
    (_request, response, turn) => {
      if (turn > 1) return say(response, 200, { ok: 1 });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"ok":', () => response.destroy());
    },
    { patienceMs: 20_000 },
  );
  t.deepEqual(await send(read, thing), { ok: 1 });
  t.is(asked.length, 2);
});

test('events come for as long as there are any', async (t) => {
  const clock = new ManualClock();
  const begun = Promise.withResolvers<ServerResponse>();
  const { send } = await service(
    t,
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      begun.resolve(response);
    },
    { clock },
  );
  const events = (await send(feed, thing)) as AsyncIterable<ServerEvent>;
  await clock.advance(3_600_000);
  (await begun.promise).end('data: 2\n\n');
  const said = (await Array.fromAsync(events)).map(({ data }) => data);
  t.deepEqual(said, ['1', '2']);
});

test('who leaves in the middle of an answer hears that', async (t) => {
  const leaving = new AbortController();
  const { send } = await service(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"ok":', () => leaving.abort(new Error('I left')));
  });
  await t.throwsAsync(send(read, thing, { signal: leaving.signal }), { message: 'I left' });
});

test('a caller who gives up hears that, and not a failure of the service', async (t) => {
  const leaving = new AbortController();
  const { send } = await service(t, () => leaving.abort(new Error('I left')));
  const options = { signal: leaving.signal };
  await t.throwsAsync(send(read, thing, options), { message: 'I left' });
});

test('who gives up while no proof can be had is not kept, and a failure that is repeated is told once', async (t) => {
  const leaving = new AbortController();
  let proofs = 0;
  const told: unknown[] = [];
  const { send } = await service(t, (_request, response) => say(response, 200, null), {
    patienceMs: 3_600_000,
    onRepeat: (error) => told.push(error),
    credentials: {
      operator: async () => {
        proofs += 1;
        if (proofs === 3) leaving.abort(new Error('left'));
        throw new Unanswered('POST /v1/auth/challenge: the connection failed');
      },
    },
  });
  const asked = send(order, { idempotencyKey: 'once' }, { signal: leaving.signal });
  await t.throwsAsync(asked, { message: 'left' });
  t.is(proofs, 3);
  t.is(told.length, 1);
});

test('events come as they are cut out of the stream, whatever its chunks', async (t) => {
  const { send } = await service(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of [
      ': hi\n\nid: 1\neve',
      'nt: race\ndata: {"a":',
      '1}\n\ndata: x\ndata: y\n\n',
    ]) {
      response.write(chunk);
    }
    response.end('data: cut off');
  });
  const events = (await send(feed, thing)) as AsyncIterable<ServerEvent>;
  t.deepEqual(await Array.fromAsync(events), [
    { event: 'race', id: '1', data: '{"a":1}' },
    { event: 'message', id: undefined, data: 'x\ny' },
  ]);
});
