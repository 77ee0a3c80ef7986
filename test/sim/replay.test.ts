import test from 'ava';
import type { DurableMessage } from '../../infra/ports/bus.ts';
import { Broker } from './broker/broker.ts';
import { DurableStore } from './broker/durable-store.ts';
import { Kernel } from './kernel/kernel.ts';
import { Trace } from './kernel/trace.ts';
import { differences } from './oracle/business-rows.ts';
import { StreamWitness, streamKeepsMs } from './oracle/stream-witness.ts';

test('what the streams held is replayed, also what was deleted with a store, and only once', (t) => {
  const kernel = new Kernel({ seed: 3, startMs: 0, trace: new Trace() });
  const stream = new StreamWitness();
  const stored: DurableMessage[] = [];
  const store = new DurableStore(new Broker(kernel), { repeats: () => false }, (message, atMs) => {
    stored.push(message);
    stream.stored(message, atMs);
  });
  const message = { msgId: 'm', subject: 'evt.eval.1.x', headers: { a: 'b' }, body: 1, attempt: 0 };
  store.store(message);
  store.wipe();
  store.ensureStreams();
  store.store({ ...message, attempt: 1 });
  t.is(stream.replay(store, 0), 2);
  t.deepEqual(
    stored.slice(2).map((replayed) => ({ ...replayed, attempt: 0 })),
    [message, message],
  );
  store.wipe();
  store.ensureStreams();
  t.is(stream.replay(store, 0), 2);
  t.is(stream.replay(store, streamKeepsMs), 0);
});

test('a difference names the table and the row, also of rows that are there twice', (t) => {
  const before = new Map([
    ['public.race {"id": 1}', 1],
    ['public.top_agent {"id": 2}', 2],
  ]);
  const after = new Map([
    ['public.race {"id": 3}', 1],
    ['public.top_agent {"id": 2}', 1],
  ]);
  t.deepEqual(differences(before, before), []);
  t.deepEqual(differences(before, after), [
    'public.race has a new row: {"id": 3}',
    'public.race has lost a row: {"id": 1}',
    'public.top_agent has lost a row: {"id": 2}',
  ]);
});
