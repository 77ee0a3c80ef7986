/** What is in the service's place, and what somebody at the line is told of it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { bearer } from '../../../apps/cli/client/credentials.ts';
import { paddockClient } from '../../../apps/cli/client/paddock.generated.ts';
import { Unanswered } from '../../../apps/cli/client/refusal.ts';
import { sender } from '../../../apps/cli/client/send.ts';
import { lineBy } from '../../support/answered-line.ts';
import { listening } from '../../support/listening.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';

type Answer = (response: ServerResponse, target: string) => void;

/** Under this address somebody answers so, whatever is asked; the client would ask again for a while. */
async function placeOf(t: ExecutionContext, answer: Answer, folder = '') {
  const asked: string[] = [];
  const { origin } = await listening(t, (request, response) => {
    const target = request.url ?? '';
    asked.push(`${request.method} ${target}`);
    request.resume().once('end', () => answer(response, target));
  });
  const clock = new ManualClock();
  const credentials = { hotkey: bearer('secret') };
  const options = { baseUrl: `${origin}${folder}`, clock, credentials };
  const client = paddockClient(sender(options));
  const patient = paddockClient(sender({ ...options, patienceMs: 60_000 }));
  return { asked, clock, origin, client, patient };
}

async function agentFile(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-foreign-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'agent.py');
  await writeFile(path, 'def agent_main(task):\n    return 1\n');
  return path;
}

const page: Answer = (response) =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Soon</h1>');
const toLogin: Answer = (response) =>
  response.writeHead(302, { location: 'https://login.example/start?state=secret#x' }).end();
const toTls =
  (folder = ''): Answer =>
  (response, target) => {
    const location = `https://paddock.example${folder}${target.replace(/^\/here/, '')}`;
    response.writeHead(301, { location }).end();
  };

const soon =
  'A proxy, or a network that wants you to sign in, may have said so: try again in a moment, or ' +
  'name another service with --url BASE or PADDOCK_URL.\n';

test('who asks where the service is no more is told its address, at once', async (t) => {
  const { asked, origin, patient } = await placeOf(t, toTls());

  const { code, error } = await lineBy(patient, 'top');

  t.is(code, 5);
  t.is(
    error,
    `paddock: ${origin} redirects to https://paddock.example\n` +
      'Name that address, if you trust it: --url https://paddock.example or PADDOCK_URL.\n',
  );
  t.is(asked.length, 1);
});

test('so it is where the service has a folder of its own', async (t) => {
  const { origin, client } = await placeOf(t, toTls('/there'), '/here');

  const { error } = await lineBy(client, 'top');

  t.true(
    error.startsWith(`paddock: ${origin}/here redirects to https://paddock.example/there\n`),
    error,
  );
});

test('an order that was sent there was not carried out', async (t) => {
  const { asked, client } = await placeOf(t, toTls());
  const path = await agentFile(t);

  const { error } = await lineBy(client, 'submit', path, '--name', 'mine');

  t.regex(error, /redirects to https:\/\/paddock\.example\nName that address/);
  t.deepEqual(asked, ['POST /v1/miner/submit']);
});

test('unless an earlier try of it was lost', async (t) => {
  const { asked, clock, patient } = await placeOf(t, (response, target) => {
    if (asked.length === 1) response.destroy();
    else toTls()(response, target);
  });
  const path = await agentFile(t);

  const sent = lineBy(patient, 'submit', path, '--name', 'a', '--idempotency-key', 'mine');
  await until(async () => {
    await clock.advance(1_000);
    return asked.length === 2;
  });

  const { error } = await sent;
  t.regex(error, /redirects to https:\/\/paddock\.example; whether it took effect is not known\n/);
  t.regex(error, /--idempotency-key mine/);
});

test('of a page to sign in the address is told, and no secret in it', async (t) => {
  const { origin, client } = await placeOf(t, toLogin);

  const { code, error } = await lineBy(client, 'top');

  t.is(code, 5);
  t.is(error, `paddock: ${origin} redirects to https://login.example/start\n${soon}`);
});

test('a redirect to itself gives no better address', async (t) => {
  const { origin, client } = await placeOf(t, (response, target) =>
    response.writeHead(307, { location: target }).end(),
  );

  const { error } = await lineBy(client, 'top');

  // It asks for the payout as well, and tells of whichever is answered first.
  const told = `paddock: ${origin} redirects to ${origin}/v1/public/top`;
  t.true([`${told}\n${soon}`, `${told}-miner-payout\n${soon}`].includes(error), error);
});

test('a page is no answer, and leaves open what became of an order', async (t) => {
  const { origin, client } = await placeOf(t, page);
  const path = await agentFile(t);

  const seen = await lineBy(client, 'top');
  const sent = await lineBy(client, 'submit', path, '--name', 'a', '--idempotency-key', 'mine');

  const told = `paddock: ${origin} answered 200 with text/html, as this route never does`;
  t.deepEqual([seen.code, seen.error], [5, `${told}\n${soon}`]);
  t.is(sent.code, 5);
  t.is(
    sent.error,
    `${told}; whether it took effect is not known\n${soon}` +
      'Repeated with --idempotency-key mine it is carried out once and no more.\n',
  );
});

for (const [what, answer] of [
  ['nothing', (response) => response.writeHead(204).end()],
  ['an empty page', (response) => response.writeHead(200).end()],
  [
    'half of an answer',
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"top":'),
  ],
  [
    'an empty answer',
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
  ],
] as const satisfies readonly (readonly [string, Answer])[]) {
  test(`${what} is no answer of a route that has one`, async (t) => {
    const { client } = await placeOf(t, answer);
    await t.throwsAsync(client.getPublicTop(), { instanceOf: Unanswered });
  });
}

test('a media type may be written in any case', async (t) => {
  const { client } = await placeOf(t, (response) =>
    response.writeHead(200, { 'content-type': 'Application/JSON;charset=UTF-8' }).end('{"a":1}'),
  );
  t.deepEqual((await client.getPublicTop()) as unknown, { a: 1 });
});

test('no work is an answer of the route that has it', async (t) => {
  const { client } = await placeOf(t, (response) => response.writeHead(204).end());
  t.is(await client.postValidatorWorkClaim({}), undefined);
});
