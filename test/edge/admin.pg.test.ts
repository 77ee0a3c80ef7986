import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { probeNames } from '../../apps/edge/readiness.ts';
import { auditRowsAt } from '../../apps/verify/audit/read-api.ts';
import { auditRowsOf } from '../../apps/verify/audit/read-database.ts';
import { outcomeOf } from '../../apps/verify/audit/verify-audit.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { writePack } from '../../infra/packs/write-pack.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { firstIssue, refusal } from '../support/framework.ts';
import { until } from '../support/until.ts';
import { invalid, refused } from './routes/answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

const manifest = {
  contract_version: '1',
  runtime_version: '2',
  tool_contract_version: '3',
  verifier_version: '4',
  result_schema_version: '5',
  catalog_epoch: 'e1',
  catalog_sha256: 'c'.repeat(64),
  search_index_epoch: null,
  search_index_sha256: null,
  display_name: 'Demo shop',
  environment_revision: 'r1',
};

async function packBytes(name: string, count = 6): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-admin-'));
  try {
    const path = join(folder, 'pack.tar.gz');
    const tasks = Array.from({ length: count }, (_, index) => ({
      task_id: `${name}-${index}`,
      family: ['shop', 'voucher'][index % 2],
      goal_text: `Buy ${name} ${index}`,
    }));
    await writePack(path, { manifest, tasks });
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const gzip = { 'content-type': 'application/gzip' };

test('a pack is kept once by its bytes and becomes an active suite', async (t) => {
  const bytes = await packBytes('kept');
  const first = await service.operator('POST', '/v1/admin/packs', { body: bytes, headers: gzip });
  t.is(first.status, 200);
  const pack = (await first.json()) as Record<string, unknown>;
  t.is(pack['task_count'], 6);
  t.deepEqual(pack['family_counts'], { shop: 3, voucher: 3 });
  t.is(pack['display_name'], 'Demo shop');
  t.is(pack['size_bytes'], bytes.length);
  const again = await service.operator('POST', '/v1/admin/packs', { body: bytes, headers: gzip });
  t.deepEqual(await again.json(), pack);

  const suite = {
    benchmark_name: 'bench',
    benchmark_number: 1,
    execution_kind: 'envpack',
    env_pack_sha256: pack['pack_sha256'],
    unknown: 'dropped',
  };
  const created = await service.operator('POST', '/v1/admin/suites', { body: suite });
  t.is(created.status, 200);
  const kept = (await created.json()) as Record<string, unknown>;
  t.false(kept['is_active']);
  t.is((kept['environment'] as Record<string, string>)['catalog_epoch'], 'e1');
  const path = `/v1/admin/suites/${kept['suite_id']}/activate`;
  const activated = await service.operator('POST', path);
  t.deepEqual(await activated.json(), { ...kept, is_active: true });
  const current = await service.call('GET', '/v1/public/suites/current');
  t.deepEqual(await current.json(), { ...kept, is_active: true });
  // Consumption by all 64 partitions ends the messages.
  await until(async () => (await service.sql`select from rt.outbox limit 1`).length === 0);
});

test('why a pack was kept stands in the audit log', async (t) => {
  const body = await packBytes('reason');
  const keep = async (query: string) =>
    await service.operator('POST', `/v1/admin/packs${query}`, { body, headers: gzip });
  const first = await keep('?reason=as%20agreed');
  t.is(first.status, 200);
  const { pack_sha256: sha256 } = (await first.json()) as { pack_sha256: string };
  t.is((await keep('')).status, 200);
  const tooLong = await keep(`?reason=${'x'.repeat(1001)}`);

  const kept = await service.sql<{ reason: string | null }[]>`
    select reason from audit_log
    where action = 'pack.register' and object = ${`pack/${sha256}`}
    order by seq`;
  t.deepEqual(
    kept.map(({ reason }) => reason),
    ['as agreed', null],
  );
  t.is(tooLong.status, 422);
  t.deepEqual((await firstIssue(tooLong))?.loc, ['query', 'reason']);
});

test('a pack that is none is 422, another type 415', async (t) => {
  for (const body of [Buffer.from('no gzip'), Buffer.alloc(0)]) {
    const answer = await service.operator('POST', '/v1/admin/packs', { body, headers: gzip });
    t.is(answer.status, 422);
    t.deepEqual((await firstIssue(answer))?.loc, ['body']);
  }
  const typed = await service.operator('POST', '/v1/admin/packs', {
    body: Buffer.from('x'),
    headers: { 'content-type': 'application/json' },
  });
  t.is(typed.status, 415);
});

test('a pack over the limit is refused and the answer is read', async (t) => {
  const small = await startTestService({ env: { PACK_BYTES_MAX: '1000' } });
  try {
    const body = Buffer.alloc(300_000, 1);
    const answer = await small.operator('POST', '/v1/admin/packs', { body, headers: gzip });
    t.is(answer.status, 422);
    const chunked = await fetch(`${small.baseUrl}/v1/admin/packs`, {
      method: 'POST',
      headers: { ...gzip, authorization: `Bearer ${small.operatorToken}` },
      body: new Blob([body]).stream(),
      duplex: 'half',
    });
    t.is(chunked.status, 422);
  } finally {
    await small.stop();
  }
});

test('a suite that makes no sense is refused', async (t) => {
  const base = { benchmark_name: 'b', benchmark_number: 1, execution_kind: 'legacy_benchmark' };
  for (const [body, status] of [
    [{}, 422],
    [base, 422],
    [{ ...base, execution_kind: 'other' }, 422],
    [{ ...base, problems: [{ metadata: 'x' }] }, 422],
    [{ ...base, problems: [{ metadata: {} }], qualifying_threshold: 1.5 }, 422],
    [{ ...base, problems: [{ metadata: {} }], required_successes_race: 0 }, 422],
    [{ ...base, execution_kind: 'envpack', env_pack_sha256: 'ab'.repeat(32) }, 404],
    [{ ...base, execution_kind: 'envpack', env_pack_sha256: 'AB'.repeat(32) }, 422],
  ] as const) {
    const answer = await service.operator('POST', '/v1/admin/suites', { body });
    t.is(answer.status, status, JSON.stringify(body));
  }
  t.is((await service.operator('POST', '/v1/admin/suites/99/activate')).status, 404);
  t.is((await service.operator('POST', '/v1/admin/suites/x/activate')).status, 422);
});

test('a threshold that a suite could not keep as it was given is refused', async (t) => {
  const keep = (threshold: number) =>
    service.operator('POST', '/v1/admin/suites', {
      body: {
        ...{ benchmark_name: 'b', benchmark_number: 3, execution_kind: 'legacy_benchmark' },
        ...{ problems: [{ metadata: {} }], qualifying_threshold: threshold },
      },
    });
  for (const threshold of [0.55005, 0.5500001]) {
    t.is(await invalid(t, await keep(threshold)), 'body.qualifying_threshold', `${threshold}`);
  }

  const { suite_id: suiteId } = (await (await keep(0.5505)).json()) as { suite_id: number };

  const [kept] = await service.sql`
    select created_threshold as threshold from suite where suite_id = ${suiteId}`;
  t.is(kept?.['threshold'], '0.5505');
});

// Before the one that asks which suite is the current one.
test.serial(
  'a suite shows nothing that another holds out, and holds out nothing that others show',
  async (t) => {
    const keep = async (name: string) => {
      const body = await packBytes(name);
      const answer = await service.operator('POST', '/v1/admin/packs', { body, headers: gzip });
      return ((await answer.json()) as { pack_sha256: string }).pack_sha256;
    };
    const create = async (packSha256: string, ...taskIds: string[]) =>
      service.operator('POST', '/v1/admin/suites', {
        body: {
          ...{ benchmark_name: 'bench', benchmark_number: 1, execution_kind: 'envpack' },
          ...{ env_pack_sha256: packSha256, qualifying_task_ids: taskIds },
        },
      });
    const held = await keep('held');
    const first = await create(held, 'held-0');
    const { suite_id: suiteId } = (await first.json()) as { suite_id: number };
    await service.operator('POST', `/v1/admin/suites/${suiteId}/activate`);
    const showing = await create(held, 'held-0', 'held-1');
    await refused(t, showing, '409 TASK_HELD_OUT');
    const shown = await keep('shown');
    const all = await create(shown, ...[0, 1, 2, 3, 4, 5].map((index) => `shown-${index}`));
    t.is(all.status, 200);
    const hollow = await create(shown, 'shown-0');
    await refused(t, hollow, '409 NO_TASK_HELD_OUT');
  },
);

// Orders go one after the other, and on a busy machine this one takes the time that the others have.
test.serial('a legacy suite of megabytes goes in, its embeddings apart', async (t) => {
  const embeddings = { title: Array.from({ length: 1024 }, (_, index) => index / 1024) };
  const problems = Array.from({ length: 150 }, (_, index) => ({
    problem_id: randomUUID().toUpperCase(),
    metadata: { category: 'Shop', query: `q${index}`, reward_title_embeddings: embeddings },
  }));
  const body = {
    ...{ benchmark_name: 'old', benchmark_number: 2, execution_kind: 'legacy_benchmark' },
    ...{ problems, race_problems: [{ metadata: { category: 'Held out' } }] },
  };
  t.true(JSON.stringify(body).length > 1_000_000);
  const created = await service.operator('POST', '/v1/admin/suites', { body });
  t.is(created.status, 200);
  const { suite_id: suiteId } = (await created.json()) as { suite_id: number };
  const shown = await service.call('GET', `/v1/public/suites/${suiteId}/problems`);
  const text = await shown.text();
  t.false(text.includes('reward_title_embeddings'));
  t.false(text.includes('Held out'));
  t.true(text.includes(problems[0]?.problem_id.toLowerCase() ?? 'none'));
});

test('an Idempotency-Key stands for one order', async (t) => {
  const { hotkey } = service.stranger('idempotent');
  const path = `/v1/admin/hotkeys/${hotkey}/ban`;
  const headers = { 'idempotency-key': randomUUID() };
  const ban = (reason: string) => service.operator('PUT', path, { body: { reason }, headers });
  const first = await (await ban('cheats')).json();
  t.deepEqual(await (await ban('cheats')).json(), first);
  const conflict = await ban('something else');
  t.is(conflict.status, 409);
  t.is((await refusal(conflict)).error_code, 'IDEMPOTENCY_CONFLICT');
  const entries = await service.sql`select 1 from audit_log where object = ${`hotkey/${hotkey}`}`;
  t.is(entries.length, 1);
  const broken = await service.operator('PUT', path, {
    body: { reason: 'x' },
    headers: { 'idempotency-key': 'has space' },
  });
  t.is(broken.status, 422);
});

test('a ban needs a reason, a hotkey its one spelling', async (t) => {
  const { hotkey } = service.stranger('reasons');
  t.is((await service.operator('PUT', `/v1/admin/hotkeys/${hotkey}/ban`)).status, 422);
  const blank = { body: { reason: '  ' } };
  t.is((await service.operator('PUT', `/v1/admin/hotkeys/${hotkey}/ban`, blank)).status, 422);
  const body = { reason: 'x' };
  t.is((await service.operator('PUT', `/v1/admin/hotkeys/${hotkey}x/ban`, { body })).status, 422);
});

test('registrations are set, kept, moved and taken back', async (t) => {
  const { hotkey } = service.stranger('registered');
  const { hotkey: coldkey } = service.stranger('cold');
  const path = `/v1/admin/chain/registrations/${hotkey}`;
  const set = async (body: object) => {
    const answer = await service.operator('PUT', path, { body });
    return (await answer.json()) as Record<string, unknown>;
  };
  const first = await set({ role: 'miner', stake: 5, coldkey });
  t.deepEqual(first, { hotkey, uid: first['uid'], role: 'miner', stake: 5, coldkey });
  const promoted = await set({ role: 'validator' });
  t.deepEqual(promoted, { ...first, role: 'validator' });
  const other = service.stranger('registered-other').hotkey;
  const taken = await service.operator('PUT', `/v1/admin/chain/registrations/${other}`, {
    body: { role: 'miner', uid: first['uid'] },
  });
  t.is(taken.status, 422);
  const removed = await service.operator('DELETE', path);
  t.deepEqual(await removed.json(), { hotkey, removed: true });
  t.is((await service.stranger('registered').get('/v1/miner/agents')).status, 401);
});

test('a repeated registration does not undo what was ordered after it', async (t) => {
  const path = `/v1/admin/chain/registrations/${service.stranger('registered-once').hotkey}`;
  const send = (method: string, key: string, body?: object) =>
    service.operator(method, path, { body, headers: { 'idempotency-key': key } });
  const [monday, tuesday] = [randomUUID(), randomUUID()];
  const first = await send('PUT', monday, { role: 'miner' });
  const made = await first.json();
  t.is(first.status, 200);
  t.deepEqual(await (await send('PUT', monday, { role: 'miner' })).json(), made);
  t.like(await (await send('DELETE', tuesday)).json(), { removed: true });

  await refused(t, await send('PUT', monday, { role: 'miner' }), '409 IDEMPOTENCY_CONFLICT');

  t.is((await service.stranger('registered-once').get('/v1/miner/agents')).status, 401);
  t.is((await send('PUT', randomUUID(), { role: 'miner' })).status, 200);
  await refused(t, await send('DELETE', tuesday), '409 IDEMPOTENCY_CONFLICT');
  t.is((await service.stranger('registered-once').get('/v1/miner/agents')).status, 200);
});

test('the operator sees partitions, counts and the chained log', async (t) => {
  const partitions = await service.operator('GET', '/v1/admin/partitions');
  const { partitions: rows, members } = (await partitions.json()) as {
    partitions: { is_owner_live: boolean }[];
    members: { is_live: boolean }[];
  };
  t.true(rows.length >= 64);
  t.true(members.some(({ is_live }) => is_live));
  const overview = await service.operator('GET', '/v1/admin/overview');
  t.is(overview.status, 200);
  for (const reason of ['one', 'two']) {
    const path = `/v1/admin/hotkeys/${service.stranger('logged').hotkey}/ban`;
    await service.operator('PUT', path, { body: { reason } });
  }
  const log = await service.operator('GET', '/v1/admin/audit-log?limit=2');
  const { entries, total } = (await log.json()) as {
    entries: { seq: number; prev_hash: string; hash: string }[];
    total: number;
  };
  t.is(entries[0]?.seq, total);
  t.is(entries[0]?.prev_hash, entries[1]?.hash);
  const { head, flaw } = await outcomeOf(auditRowsOf(service.databaseUrl));
  t.is(flaw, undefined);
  t.true(head.seq >= total);
  const shown = await outcomeOf(
    await auditRowsAt({ url: service.baseUrl, clock: systemClock }, service.operatorToken),
    head,
  );
  t.is(shown.flaw, undefined);
});

test('readiness names its probes, and no route tells what failed inside', async (t) => {
  const deep = await service.call('GET', '/health/deep');
  const { probes } = (await deep.json()) as { probes: Record<string, { status: string }> };
  t.deepEqual(Object.keys(probes).sort(), [...probeNames].sort());
  t.deepEqual(await (await service.call('GET', '/health')).json(), {
    status: 'ok',
    version: '0.1.0',
  });
});
