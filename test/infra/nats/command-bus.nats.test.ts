import { randomUUID } from 'node:crypto';
import test from 'ava';
import { headers, type NatsConnection } from 'nats';
import { WriteOutcomes } from '../../../apps/edge/write-outcomes.ts';
import { faultOf } from '../../../apps/outage.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createCommandBus } from '../../../infra/nats/command-bus.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { OutageWatch } from '../../../infra/nats/outage-watch.ts';
import { createPartitionBus } from '../../../infra/nats/partition-bus.ts';
import { createServiceBus } from '../../../infra/nats/service-bus.ts';
import type {
  CommandBus,
  IncomingCommand,
  PartitionBus,
  WireReply,
} from '../../../infra/ports/bus.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { Fault, type FaultCode } from '../../../machines/fault.ts';
import { testNats } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

let connection: NatsConnection;
let commands: CommandBus;
let partitions: PartitionBus;

test.before(async () => {
  connection = await connectNats({ url: await testNats(), name: 'test' });
  const deps = { connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  commands = createCommandBus(deps);
  partitions = createPartitionBus({ ...deps, outages: new OutageWatch(connection, systemClock) });
});
test.after.always(() => connection.close());

let nextPart = 0;

/** A partition whose owner answers each attempt by the next of these; `silence` answers nothing. */
async function owner(...replies: readonly (WireReply | 'silence')[]) {
  const target = { kind: 'test', part: nextPart };
  nextPart += 1;
  const seen: IncomingCommand[] = [];
  await partitions.subscribeCommands(target, (command, exchange) => {
    const reply = replies[Math.min(seen.length, replies.length - 1)];
    seen.push(command);
    if (reply !== undefined && reply !== 'silence') exchange.answer(reply);
  });
  const command = { id: randomUUID(), type: 'add', body: { n: 1 }, account: 'Zoë' };
  const ask = (budgetMs: number, by = commands) => by.command(target, command, { budgetMs });
  return { target, seen, command, ask };
}

/** Commands of a caller for whom each wait between two attempts takes that long, but no time here. */
function skipping(waitMs: number): CommandBus {
  let skippedMs = 0;
  const clock: Clock = {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    sleep: async () => {
      skippedMs += waitMs;
    },
  };
  const deps = { connection, clock, log: silentLogger, telemetry: silentTelemetry };
  return createCommandBus(deps);
}

const moved: WireReply = { kind: 'moved' };
const done: WireReply = { kind: 'ok', body: { n: 2 } };
const refusal = (code: FaultCode): WireReply => ({
  kind: 'fault',
  code,
  detail: 'no',
  extras: { a: 1 },
});

test('a command arrives as it was sent, with the time that its caller waits', async (t) => {
  const { ask, command, seen } = await owner(done);

  t.deepEqual(await ask(1_000), { n: 2 });

  const [received] = seen;
  t.like(received, { ...command });
  t.true((received?.budgetMs ?? 0) > 0);
  t.true((received?.budgetMs ?? 0) <= 1_000);
});

test('a partition that moved is asked again under the same id', async (t) => {
  const { ask, seen } = await owner(moved, moved, done);

  t.deepEqual(await ask(2_000), { n: 2 });
  t.is(seen.length, 3);
  t.is(new Set(seen.map(({ id }) => id)).size, 1);
});

const ends: readonly [string, readonly (WireReply | 'silence')[], FaultCode][] = [
  ['an owner that only moves is OWNER_UNAVAILABLE', [moved], 'OWNER_UNAVAILABLE'],
  ['a full mailbox is OVERLOADED', [refusal('OVERLOADED')], 'OVERLOADED'],
  ['a lost database is STORE_UNAVAILABLE', [refusal('STORE_UNAVAILABLE')], 'STORE_UNAVAILABLE'],
  ['a refusal keeps its code', [refusal('NOT_RUN_OWNER')], 'NOT_RUN_OWNER'],
];
for (const [title, replies, code] of ends) {
  test(title, async (t) => {
    const { ask } = await owner(...replies);

    const fault = await t.throwsAsync(ask(10_000, skipping(4_000)), { instanceOf: Fault });

    t.is(fault.code, code);
    const isRefusal = code === 'NOT_RUN_OWNER';
    const seconds = fault.extras['retry_after_seconds'];
    t.deepEqual(isRefusal ? fault.extras : Number.isInteger(seconds), isRefusal ? { a: 1 } : true);
  });
}

test('an owner that stays silent is OUTCOME_UNKNOWN', async (t) => {
  const { ask } = await owner('silence');
  const fault = await t.throwsAsync(ask(300), { instanceOf: Fault });
  t.is(fault.code, 'OUTCOME_UNKNOWN');
  t.true(Number.isInteger(fault.extras['retry_after_seconds']));
});

test('what is known is not risked for an attempt without time', async (t) => {
  const { ask, seen } = await owner(refusal('STORE_UNAVAILABLE'), 'silence');
  const fault = await t.throwsAsync(ask(10_000, skipping(9_920)), { instanceOf: Fault });
  t.is(fault.code, 'STORE_UNAVAILABLE');
  t.is(seen.length, 1);
});

test('what must not be begun twice is asked once, for as long as its caller says', async (t) => {
  const { target, command, seen } = await owner('silence');
  const budget = { budgetMs: 2_600, attemptMs: 2_600 };
  const error = await t.throwsAsync(commands.command(target, command, budget), {
    instanceOf: Fault,
  });
  t.is(error.code, 'OUTCOME_UNKNOWN');
  t.is(seen.length, 1);
  const hasty = { budgetMs: 4_000, attemptMs: 200 };
  await t.throwsAsync(commands.command(target, command, hasty), { instanceOf: Fault });
  t.true(seen.length >= 3);
});

// The broker deals out requests to all instances alike, and goes on doing so to one that is frozen.
test('a quick service is asked again soon, then ever later', async (t) => {
  const lefts: number[] = [];
  const ids = new Set<string | undefined>();
  const subscription = connection.subscribe('svc.frozen', {
    queue: 'svc.frozen',
    callback: (_, message) => {
      lefts.push(Number(message.headers?.get('x-budget')));
      ids.add(message.headers?.get('x-cmd-id'));
    },
  });
  await connection.flush();
  const request = { id: randomUUID(), type: 'any', body: {}, account: 'tester' };
  const budget = { budgetMs: 8_000, isQuick: true };

  const fault = await t.throwsAsync(commands.call('frozen', request, budget), {
    instanceOf: Fault,
  });

  t.is(fault.code, 'OUTCOME_UNKNOWN');
  t.deepEqual([...ids], [request.id]);
  const waits = lefts.slice(1).map((left, index) => (lefts[index] ?? 0) - left);
  for (const [index, leastMs] of [250, 500, 1_000, 2_000].entries()) {
    t.true((waits[index] ?? 0) >= leastMs, `${waits}`);
  }
  // Of two seconds each there would be three.
  t.true(waits.length > 3, `${waits}`);
  subscription.unsubscribe();
});

test('silence is never forgotten by what is heard later', async (t) => {
  const target = { kind: 'test', part: 1_000 };
  const subscription = await partitions.subscribeCommands(target, () => undefined);
  const command = { id: randomUUID(), type: 'add', body: {}, account: 'a' };
  const asked = commands.command(target, command, { budgetMs: 2_400 });
  await systemClock.sleep(500);
  await subscription.close();

  const fault = await t.throwsAsync(asked, { instanceOf: Fault });
  t.is(fault.code, 'OUTCOME_UNKNOWN');
});

// A rejected request must have had no effect; the attempt before the rejection may have had one.
for (const code of ['OVERLOADED', 'STORE_UNAVAILABLE'] as const) {
  test(`an owner that was silent before it answers ${code} leaves doubt`, async (t) => {
    const { ask } = await owner('silence', refusal(code));

    const fault = await t.throwsAsync(ask(4_000), { instanceOf: Fault });
    t.is(fault.code, 'OUTCOME_UNKNOWN');
  });
}

test('a patient caller waits for a busy owner and for a lost database', async (t) => {
  const startedMs = Date.now();
  const target = { kind: 'test', part: 1_001 };
  const answer = (): WireReply => {
    const tookMs = Date.now() - startedMs;
    if (tookMs < 300) return refusal('OVERLOADED');
    // Longer than callers are kept waiting who did not ask for it.
    return tookMs < 3_500 ? refusal('STORE_UNAVAILABLE') : done;
  };
  await partitions.subscribeCommands(target, (_, exchange) => exchange.answer(answer()));
  const command = { id: randomUUID(), type: 'add', body: {}, account: 'a' };

  const reply = await commands.command(target, command, { budgetMs: 10_000, isPatient: true });

  t.deepEqual(reply, { n: 2 });
});

// Coordinators are replaced first, and may know refusals that this edge does not. Validators drop work on a
// 4xx, and an edge that knows better is minutes away.
test('a refusal of a newer coordinator is an answer to be asked for again, and no outage', async (t) => {
  const clock = new ManualClock();
  const outcomes = new WriteOutcomes(clock, { warn: t.fail });
  const refused = { kind: 'fault', code: 'OF_TOMORROW', detail: 'No.', extras: { a: 1 } } as const;
  const { target, seen } = await owner(refused);
  const watched = outcomes.watched(commands);
  const ask = () =>
    watched.command(target, { id: randomUUID(), type: 'add', body: {}, account: 'a' });

  for (let count = 0; count < 4; count += 1) {
    const fault = faultOf(await t.throwsAsync(ask()));
    t.is(fault.code, 'OWNER_UNAVAILABLE');
    t.regex(fault.message, /OF_TOMORROW.*Send/);
    t.deepEqual(fault.extras, {});
    await clock.advance(2_000);
  }
  t.is(seen.length, 4, 'nothing is tried again by ourselves');
  t.false(outcomes.isFailing);
});

test('a partition without owner is reported, at most five times a second', async (t) => {
  const suspected: unknown[] = [];
  partitions.onSignal('suspect', (body) => suspected.push(body));
  const target = { kind: 'nobody', part: 3 };
  const command = { id: randomUUID(), type: 'add', body: {}, account: 'a' };

  await t.throwsAsync(commands.command(target, command, { budgetMs: 700 }), { instanceOf: Fault });
  await connection.flush();

  const own = suspected.filter((body) => JSON.stringify(body) === JSON.stringify(target));
  t.true(own.length >= 1 && own.length <= 4, `${own.length}`);

  // Whoever hears of the one at once does not wait for the other.
  const other = { kind: 'nobody', part: 4 };
  const both = [target, other].map((each) => commands.command(each, command, { budgetMs: 150 }));
  await Promise.allSettled(both);
  await connection.flush();
  t.true(suspected.some((body) => JSON.stringify(body) === JSON.stringify(other)));
});

test('a member that is gone is absent, one that listens is alive', async (t) => {
  t.is(await pinged('nobody'), 'absent');
  partitions.answerPings('somebody');
  t.is(await pinged('somebody'), 'alive');
  connection.subscribe('sys.ping.frozen', { callback: () => undefined });
  t.is(await partitions.ping('frozen'), 'silent');
});

/** A busy machine may be silent for longer than a ping waits. */
async function pinged(member: string) {
  let seen = await partitions.ping(member);
  await until(async () => {
    if (seen === 'silent') seen = await partitions.ping(member);
    return seen !== 'silent';
  });
  return seen;
}

test('each request of a service meets one instance, and its refusal keeps its code', async (t) => {
  const deps = { connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const heard: unknown[] = [];
  const services = createServiceBus(deps);
  const instances = [1, 2].map(() =>
    services.serve('echo', async ({ type, body, account }) => {
      heard.push(body);
      if (type === 'refuse') throw new Fault('BANNED', 'not you', { reason: 'x' });
      if (type === 'break') throw new Error('a secret cause');
      return { body, account };
    }),
  );
  await connection.flush();
  const call = (type: string) =>
    commands.call('echo', { id: randomUUID(), type, body: { a: type }, account: 'operator:Zoë' });

  t.deepEqual(await call('say'), { body: { a: 'say' }, account: 'operator:Zoë' });
  const refused = await t.throwsAsync(call('refuse'), { instanceOf: Fault });
  t.like(refused, { code: 'BANNED', message: 'not you', extras: { reason: 'x' } });
  const broken = await t.throwsAsync(call('break'), { instanceOf: Fault });
  t.is(broken.code, 'INTERNAL_ERROR');
  t.notRegex(broken.message, /secret/);
  t.is(heard.length, 3);
  await Promise.all(instances.map((instance) => instance.close()));
});

test('a service answers whoever waits, however wrong the clock of either is', async (t) => {
  const deps = { connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const served = createServiceBus(deps).serve('skewed', async () => 1);
  for (const skewMs of [-3_600_000, 3_600_000]) {
    const clock: Clock = { ...systemClock, nowMs: () => Date.now() + skewMs };
    const request = { id: randomUUID(), type: 'any', body: {}, account: 'tester' };
    const asking = createCommandBus({ ...deps, clock });
    t.is(await asking.call('skewed', request), 1);
  }
  await served.close();
});

test('a service that stood still does nothing for callers that have given up meanwhile', async (t) => {
  let stoodMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => performance.now() + stoodMs };
  const deps = { connection, clock, log: silentLogger, telemetry: silentTelemetry };
  const heard: unknown[] = [];
  const served = createServiceBus(deps).serve('late', async ({ id }) => void heard.push(id));
  const send = async (id: string, budgetMs: number) => {
    const h = headers();
    for (const [name, value] of Object.entries({ id, type: 'any' })) h.set(`x-cmd-${name}`, value);
    h.set('x-budget', String(budgetMs));
    connection.publish('svc.late', '{}', { headers: h });
    await connection.flush();
  };
  await send('before', 10_000);
  stoodMs = 20_000;
  await send('given up', 10_000);
  await send('patient', 60_000);
  // After its next beat, and what it needs to read what waited.
  await until(async () => {
    await send('after', 10_000);
    return heard.includes('after');
  });
  await served.close();

  t.deepEqual([...new Set(heard)], ['before', 'patient', 'after']);
});
