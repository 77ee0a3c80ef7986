/**
 * What the pages of reference ask their reader to type, typed at the service as it really runs, and the
 * receiver's check of webhooks that one of them shows, put before deliveries that the service has signed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { signalGroup } from '../support/bound-groups.ts';
import { caller, TestKey } from '../support/edge-client.ts';
import { claim, submit } from '../support/evaluation-client.ts';
import { openSuite, type ServiceWorld, startServiceWorld } from '../support/service-world.ts';
import { systemEnv } from '../support/system-env.ts';
import { temporaryFolder } from '../support/temporary-servers.ts';
import { okBody } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { type Delivery, type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { blocksOf } from './guide-blocks.ts';

const root = join(import.meta.dirname, '../..');
const readPage = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = ['README.md', ...globSync('infra/reference/*.md', { cwd: root })];
const blocks = pages.flatMap((path) => blocksOf(readPage(path)));

let world: ServiceWorld;
let receiver: Receiver;
let folder: string;
let inference: { readonly base_url: string; readonly access_token: string };
let baseUrl: string;

test.before(async () => {
  receiver = await startReceiver();
  world = await startServiceWorld({
    ...{ edges: 1, coordinators: 1 },
    env: { WEBHOOK_PRIVATE_HOSTS: '127.0.0.1' },
  });
  folder = await temporaryFolder();
  await symlink(world.dataDir, join(folder, '.paddock'));
  [baseUrl = ''] = world.service.baseUrls;
  const keyOf = async (role: 'miner' | 'validator') => {
    const key = new TestKey(role, caller(baseUrl));
    const path = `/v1/admin/chain/registrations/${key.hotkey}`;
    await world.operator.send('PUT', path, { role, stake: 1000 });
    return key;
  };
  const [miner, validator] = [await keyOf('miner'), await keyOf('validator')];
  await openSuite(world, { taskCount: 3, qualifyingCount: 1, requiredSuccesses: 1 });
  await until(async () => (await validator.get('/v1/validator/weight-salt')).status === 200);
  const credential = { credential: 'demo-reader' };
  await okBody(await miner.post('/v1/miner/inference-auth/providera', credential));
  await submit(miner, { name: 'reader' });
  const claimed: unknown = await claim(validator);
  inference = (claimed as { inference_token: typeof inference }).inference_token;
});
test.after.always(async () => {
  await world?.[Symbol.asyncDispose]();
  await receiver?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** The only one that names a text; what it is called with is another world's. */
function typed(mark: string): { readonly child: ChildProcess; readonly said: () => string } {
  const [block, ...others] = blocks.filter(({ code }) => code.includes(mark));
  if (block === undefined || others.length > 0) throw new Error(`not one block has ${mark}`);
  const code = block.code
    .replaceAll('http://127.0.0.1:8080', baseUrl)
    .replaceAll('https://example.org/told', receiver.url);
  const env = {
    ...systemEnv(),
    TOKEN: world.service.operatorToken,
    BASE_URL: inference.base_url,
    ACCESS_TOKEN: inference.access_token,
  };
  // A refusal ends the block, as it would end what a reader set out to do.
  const refusing = 'curl() { command curl --silent --show-error --fail-with-body "$@"; }';
  const child = spawn('bash', ['-c', `set -eo pipefail\n${refusing}\n${code}`], {
    ...{ cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { child, said: () => output };
}

async function ended(mark: string): Promise<string> {
  const { child, said } = typed(mark);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${mark} ended with ${code}: ${said()}`);
  return said();
}

test.serial('the feed shows what happened from the beginning', async (t) => {
  const { child, said } = typed('/v1/public/events');
  try {
    await until(async () => said().includes('event: submission-accepted'));
  } finally {
    signalGroup(child, 'SIGKILL');
  }
  t.regex(said(), /^id: 1$/m);
});

test.serial('a webhook is registered, and its secret is told', async (t) => {
  const answer = JSON.parse(await ended('/v1/admin/webhooks')) as Record<string, unknown>;
  t.is(answer['url'], receiver.url);
  t.regex(String(answer['secret']), /^whsec_.{40,}$/);
});

test.serial('a language model answers in pieces', async (t) => {
  const said = await ended('/chat/completions');
  t.regex(said, /^data: \{/m);
  t.regex(said, /^data: \[DONE\]$/m);
});

test.serial('a provider has a bad day and a good one again', async (t) => {
  const said = await ended('/control');
  t.true(said.includes('"delayMs":2000'), said);
  t.regex(said, /"status":503/);
});

test('every block of the README and of the reference is typed by one of these', (t) => {
  const marks = ['/v1/public/events', '/v1/admin/webhooks', '/chat/completions', '/control'];
  t.deepEqual(
    blocks.filter(({ code }) => !marks.some((mark) => code.includes(mark))),
    [],
  );
  t.is(blocks.length, marks.length);
});

type Check = (headers: Readonly<Record<string, string>>, body: string, secret: string) => boolean;

async function checkOfThePage(): Promise<Check> {
  const [, text] =
    /^```js\n(.*?)^```$/ms.exec(readPage('infra/reference/events-and-webhooks.md')) ?? [];
  await mkdir(join(folder, 'receiver'));
  const path = join(folder, 'receiver', 'check.mjs');
  await writeFile(path, `${text}\nexport { isFromPaddock };\n`);
  const { isFromPaddock } = (await import(path)) as { readonly isFromPaddock: Check };
  return isFromPaddock;
}

const headersOf = ({ id, timestamp, signature }: Delivery) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

test.serial(
  'the check that the page shows takes what the service signs and nothing else',
  async (t) => {
    const isFromPaddock = await checkOfThePage();
    const made = await world.operator.send('POST', '/v1/admin/webhooks', { url: receiver.url });
    const { secret, webhook_id: id } = made as {
      readonly secret: string;
      readonly webhook_id: string;
    };
    await world.operator.send('POST', `/v1/admin/webhooks/${id}/replay`, { cursor: 0 });
    await until(async () => receiver.deliveries.length > 0);
    const [delivery] = receiver.deliveries;
    if (delivery === undefined) throw new Error('there is one');
    const { body } = delivery;
    const headers = headersOf(delivery);

    t.true(isFromPaddock(headers, body, secret));
    t.false(isFromPaddock(headers, body.replace('"', ' "'), secret));
    t.false(isFromPaddock(headers, body, `whsec_${Buffer.alloc(32).toString('base64')}`));
    t.false(isFromPaddock({ ...headers, 'webhook-id': `${headers['webhook-id']}0` }, body, secret));
    const old = String(delivery.timestamp - 301);
    t.false(isFromPaddock({ ...headers, 'webhook-timestamp': old }, body, secret));
    t.false(isFromPaddock({ ...headers, 'webhook-signature': 'v1,short' }, body, secret));
    t.false(isFromPaddock({}, body, secret), 'a stranger who sends no headers is refused, too');
  },
);
