import test from 'ava';
import { type ApiDocument, operationsOf } from '../../apps/edge/openapi/api-document.ts';
import { Dice } from '../fuzz/dice.ts';
import { differenceOf, fingerprint, untilStill } from '../fuzz/fingerprint.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { caller } from '../support/edge-client.ts';
import { inParallel } from '../support/in-parallel.ts';
import { spoken } from './cell-requests.ts';
import { type CellWorld, openCellWorld } from './cell-world.ts';
import { type Cell, cellsOf, undeclared } from './cells.ts';

let service: TestService;
let world: CellWorld;
let document: ApiDocument;
let cells: readonly Cell[];
test.before(async () => {
  // Nothing is to change by itself.
  const env = { LEASE_SECONDS: '86400', CLAIM_LEASE_SECONDS: '86400' };
  service = await startTestService({ edges: 2, env: { ...env, NO_PROGRESS_SECONDS: '86400' } });
  world = await openCellWorld(service);
  document = (await (await service.call('GET', '/openapi.json')).json()) as ApiDocument;
  cells = cellsOf(document, world);
});
test.after.always(() => service?.stop());

const seed = Number(process.env['TEST_SEED'] ?? 5);

/** A used proof and when somebody was last seen; what is written in the background by itself. */
const moving = ['nonce', 'validator', 'inference_snapshot', 'inference_key', 'seal_key', 'session'];

/** Those that are over are swept out in the background. */
async function liveSessions(): Promise<readonly string[]> {
  const rows = await service.sql<{ hash: string }[]>`
    select token_sha256 as hash from session where expires_at > rt.clock() order by 1`;
  return rows.map(({ hash }) => hash);
}

interface Seen {
  readonly status: number;
  readonly text: string;
}

async function send({ described, caller: by, object }: Cell, baseUrl: string): Promise<Seen> {
  const { method, path, body } = spoken(described, object);
  const headers = by.headers();
  const answer = await caller(baseUrl)(method, path, {
    headers,
    ...(body !== undefined && { body }),
  });
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true) {
    await answer.body?.cancel();
    return { status: answer.status, text: '' };
  }
  return { status: answer.status, text: await answer.text() };
}

/** A batch answers 200 and refuses item by item. */
function isRefused({ described }: Cell, { status, text }: Seen): boolean {
  if (described.path.endsWith('/episode-results') && status === 200) {
    const { results } = JSON.parse(text) as { results: { status: number }[] };
    return results.length > 0 && results.every((item) => item.status === 404);
  }
  return [401, 403, 404].includes(status) && 'error_code' in (JSON.parse(text) as object);
}

/** On an edge that the seed chooses; every eighth cell on both. */
function edgesFor(dice: Dice): readonly string[] {
  const { baseUrls } = service;
  return dice.chance(1 / 8) ? baseUrls : [dice.pick(baseUrls) ?? ''];
}

test.serial('the description says of every operation to whom it is open', (t) => {
  t.deepEqual(undeclared(document), []);
  const planted = structuredClone(document);
  const { 'x-owner': _, ...silent } = { ...planted.paths['/v1/miner/agents']?.['get'] };
  planted.paths['/v1/miner/planted'] = { get: { ...silent, operationId: 'getPlanted' } as never };
  t.deepEqual(undeclared(planted), ['getPlanted']);
});

test.serial('every cell of role, route and owner is closed unless it is opened', async (t) => {
  t.timeout(300_000);
  const closed = cells.filter(({ isOpen }) => !isOpen);
  t.true(closed.length > 1000, `${closed.length} cells`);
  await untilStill(service.sql, 60_000);
  const before = await fingerprint(service.sql, moving);
  const sessions = await liveSessions();
  const dice = new Dice(seed);
  const asked = closed.flatMap((cell) => edgesFor(dice).map((baseUrl) => ({ cell, baseUrl })));
  const open: string[] = [];
  await inParallel(8, asked, async ({ cell, baseUrl }) => {
    const seen = await send(cell, baseUrl);
    if (!isRefused(cell, seen))
      open.push(`${cell.title}: ${seen.status} ${seen.text.slice(0, 200)}`);
  });
  t.deepEqual(open, []);
  const difference = differenceOf(before, await fingerprint(service.sql, moving));
  t.is(difference, undefined, 'a refused request changed this table');
  t.deepEqual(await liveSessions(), sessions);
  t.log(`${closed.length} closed cells, ${asked.length} requests, seed ${seed}`);
});

test.serial('an operator token in any other spelling is none', async (t) => {
  const { operatorToken: token, sql } = service;
  const spellings = [
    ...[`Bearer ${token}x`, `Bearer ${token.slice(1)}`, `bearer  ${token}`, `Token ${token}`],
    ...[`Bearer ${token.toUpperCase()}`, `Bearer ${token},${token}`, `Bearer ${token} x`, token],
    ...['Bearer ', 'Bearer', `Bearer "${token}"`, `Bearer tester:${token}`, 'Basic eDp5'],
  ];
  const before = await fingerprint(sql, moving);
  const operators = operationsOf(document).filter(
    ({ operation }) => operation['x-role'] === 'operator',
  );
  const dice = new Dice(seed);
  await inParallel(8, operators, async (described) => {
    const { method, path } = spoken(described, { name: '', openTo: 'nobody', ids: {} });
    for (const authorization of spellings) {
      const call = caller(dice.pick(service.baseUrls) ?? '');
      const { status } = await call(method, path, { headers: { authorization } });
      t.is(status, 401, `${method} ${path}: ${authorization}`);
    }
  });
  t.is(differenceOf(before, await fingerprint(sql, moving)), undefined);
});

test.serial('every opened cell lets its caller in', async (t) => {
  t.timeout(300_000);
  const opened = cells.filter(({ isOpen, described }) => isOpen && !isFarewell(described.path));
  const dice = new Dice(seed);
  const shut: string[] = [];
  for (const cell of opened) {
    for (const baseUrl of edgesFor(dice)) {
      const { status, text } = await send(cell, baseUrl);
      const isShut = [401, 403].includes(status) || status >= 500;
      const isLost = status === 404 && Object.keys(cell.object.ids).length > 0;
      if (isShut || isLost) shut.push(`${cell.title}: ${status} ${text.slice(0, 200)}`);
    }
  }
  t.deepEqual(shut, []);
  t.log(`${opened.length} opened cells`);
});

/** It ends the session that later cells need, or asks for one where there is none. */
const isFarewell = (path: string) => path === '/v1/auth/logout';
