import test from 'ava';
import { defect, moved, storeUnavailable } from '../../../actors/runtime/answers.ts';
import { consumeInbox } from '../../../actors/runtime/inbox-consumer.ts';
import type { Command } from '../../../actors/runtime/partition-actor.ts';
import type { Delivery, MessageBus, Verdict, WireReply } from '../../../infra/ports/bus.ts';
import type { ParkedMessage } from '../../../infra/ports/partition-store.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const delivery = (changes: Partial<Delivery> = {}): Delivery => ({
  msgId: 'm1',
  subject: 'evt.counter.3.race.closed',
  kind: 'race',
  part: 0,
  headers: { traceparent: '00-1', 'x-kind': 'race' },
  body: { n: 1 },
  deliveries: 1,
  ...changes,
});

async function outcome(reply: WireReply, changes: Partial<Delivery> = {}) {
  const commands: Command[] = [];
  const parked: ParkedMessage[] = [];
  const logged: unknown[] = [];
  let handle: ((message: Delivery) => Promise<Verdict>) | undefined;
  const messages: MessageBus = {
    publish: async () => undefined,
    consume: (_source, take) => {
      handle = take;
      return { close: async () => undefined };
    },
  };
  consumeInbox({
    ref: { kind: 'counter', part: 3 },
    messages,
    ackWaitMs: 1_000,
    decide: async (command) => {
      commands.push(command);
      return reply;
    },
    park: async (message) => void parked.push(message),
    log: { ...silentLogger, error: (message, fields) => logged.push([message, fields]) },
  });
  return { verdict: await handle?.(delivery(changes)), commands, parked, logged };
}

test('a message is decided as a command of its own id and type', async (t) => {
  const { commands, verdict } = await outcome({ kind: 'ok', body: null });

  t.is(verdict, 'done');
  t.deepEqual(commands, [
    {
      id: 'm1',
      type: 'race.closed',
      body: { n: 1 },
      account: 'system',
      trace: { traceparent: '00-1' },
    },
  ]);
});

test('a refusal is final: trying again cannot help', async (t) => {
  const { verdict } = await outcome({ kind: 'fault', code: 'BANNED', detail: 'no', extras: {} });

  t.is(verdict, 'done');
});

for (const [name, reply] of Object.entries({ moved, storeUnavailable })) {
  test(`an outage (${name}) parks nothing, however often it is met`, async (t) => {
    const { verdict, parked } = await outcome(reply, { deliveries: 1_000 });

    t.is(verdict, 'later');
    t.deepEqual(parked, []);
  });
}

test('a message that fails for a reason of its own is set aside at the twentieth try', async (t) => {
  const once = await outcome(defect(new Error('no such run')), { deliveries: 19 });
  t.is(once.verdict, 'later');
  t.deepEqual(once.parked, []);

  const last = await outcome(defect(new Error('no such run')), { deliveries: 20 });
  t.is(last.verdict, 'never');
  t.like(last.parked[0], { msgId: 'm1', body: '{"n":1}', error: 'Error: no such run' });
  const { subject } = delivery();
  t.deepEqual(last.logged, [['message set aside', { subject, msg_id: 'm1' }]]);
});
