import test from 'ava';
import { z } from 'zod';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { digestOf, idempotentId } from '../../apps/edge/evaluation/owner.ts';
import { uuid } from '../../apps/edge/wire/uuid.ts';
import { startFramework } from '../support/framework.ts';

const repeatable = endpoint({
  method: 'post',
  path: '/objects/{id}',
  role: 'miner',
  summary: 'Says which command a request means',
  trafficClass: 1,
  isRepeatable: true,
  params: z.object({ id: uuid }),
  response: z.object({ commandId: z.string() }),
  faults: [],
  async handle({ context }) {
    return { commandId: context.commandId };
  },
});

test('a key means the same command for every spelling of an object, and for no other', async (t) => {
  const other = endpoint({ ...repeatable, path: '/others/{id}' });
  await using edge = await startFramework([repeatable, other]);
  const id = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
  const commandOf = async (path: string, key: string) => {
    const answer = await edge.request('POST', path, { headers: { 'idempotency-key': key } });
    return ((await answer.json()) as { commandId: string }).commandId;
  };
  const first = await commandOf(`/objects/${id}`, 'k');
  t.is(await commandOf(`/objects/${id.toUpperCase()}`, 'k'), first);
  t.is(await commandOf(`/objects/%61${id.slice(1)}?x=1`, 'k'), first);
  t.not(await commandOf(`/objects/${id}`, 'K'), first);
  t.not(await commandOf(`/others/${id}`, 'k'), first);
  t.not(await commandOf(`/objects/${id.replace('a', 'b')}`, 'k'), first);
});

test('an edge of the version before finds in an id what it looks for', (t) => {
  const keyed = { idempotencyKey: 'k', commandId: 'c'.repeat(64) };
  const former = (body: unknown) => keyed.commandId.slice(0, 32) + digestOf(body).slice(0, 32);
  const body = { b: 1, a: { d: 2, c: 3 } };

  t.is(idempotentId(keyed, body).slice(0, 48), former(body).slice(0, 48));
  // Versions and runs are named after the commands that make them.
  for (const made of ['claim', ['agent', 'f'.repeat(64)]]) {
    t.is(idempotentId(keyed, made), former(made));
  }
});
