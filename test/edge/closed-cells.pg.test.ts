import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Endpoint } from '../../apps/edge/endpoint.ts';
import { endpoints } from '../../apps/edge/routes/index.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { CallOptions } from '../support/edge-client.ts';
import { refusal } from '../support/framework.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

type Send = (method: string, path: string, options?: CallOptions) => Promise<Response>;

const values: Readonly<Record<string, () => string>> = {
  hotkey: () => service.stranger('cells').hotkey,
  suite_id: () => '1',
  pack_sha256: () => 'ab'.repeat(32),
};
const concrete = ({ path }: Endpoint) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]?.() ?? randomUUID());

test.serial('every cell of role and route is closed unless it is opened', async (t) => {
  const miner = await service.miner('cells-miner');
  const validator = await service.validator('cells-validator');
  const stranger = service.stranger('cells-stranger');
  const session = { authorization: `Bearer ${await miner.openSession()}` };
  const callers: Readonly<Record<string, { may: readonly string[]; send: Send }>> = {
    nobody: { may: [], send: service.call },
    stranger: { may: [], send: (...asked) => stranger.request(...asked) },
    miner: { may: ['miner', 'hotkey'], send: (...asked) => miner.request(...asked) },
    'miner with a session': {
      may: ['miner', 'hotkey'],
      send: (method, path) => service.call(method, path, { headers: session }),
    },
    validator: { may: ['validator', 'hotkey'], send: (...asked) => validator.request(...asked) },
    operator: { may: ['operator'], send: service.operator },
  };
  const before = await service.sql`select xmin, seq from audit_log`;
  const guarded = endpoints.filter(({ role }) => role !== 'public');
  t.true(guarded.length > 20);
  for (const endpoint of guarded) {
    for (const [name, { may, send }] of Object.entries(callers)) {
      if (may.includes(endpoint.role)) continue;
      const answer = await send(endpoint.method.toUpperCase(), concrete(endpoint));
      const cell = `${name}: ${endpoint.method} ${endpoint.path}`;
      t.is(answer.status, 401, cell);
      t.truthy((await refusal(answer)).error_code, cell);
    }
  }
  t.deepEqual([...(await service.sql`select xmin, seq from audit_log`)], [...before]);
});

test.serial(
  'a query, header or body that names another changes nothing about who calls',
  async (t) => {
    const miner = await service.miner('self');
    const other = await service.miner('other');
    const path = `/v1/miner/agents?hotkey=${other.hotkey}&miner_hotkey=${other.hotkey}`;
    const answer = await miner.request('GET', path, {
      headers: { 'x-miner-hotkey': other.hotkey },
    });
    t.is(answer.status, 200);
    t.false((await answer.text()).includes(other.hotkey));
  },
);
