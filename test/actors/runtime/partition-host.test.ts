import test from 'ava';
import { Membership } from '../../../actors/runtime/membership.ts';
import type {
  Flush,
  PartitionActor,
  PartitionKind,
} from '../../../actors/runtime/partition-actor.ts';
import { type PartitionDeps, PartitionHost } from '../../../actors/runtime/partition-host.ts';
import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import type { IncomingCommand, PartitionBus, WireReply } from '../../../infra/ports/bus.ts';
import type { MembershipStore } from '../../../infra/ports/membership-store.ts';
import type { OutgoingMessage, PartitionStore } from '../../../infra/ports/partition-store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';

const changes = { events: [], snapshots: [], operations: {}, outbox: [] };
const actor = {
  prepare: async () => undefined,
  begin: () => undefined,
  decide: ({ id }) => ({ reply: { kind: 'ok', body: id }, changes }),
  commit: () => undefined,
  rollback: () => undefined,
  answerFromMemory: () => undefined,
  due: () => [],
  extendDeadlines: () => undefined,
  takeFlush: () => undefined,
  stats: () => ({}),
} satisfies PartitionActor;

const counters = { kind: 'counter', activate: async () => actor };

interface Setup {
  readonly kind?: PartitionKind;
  readonly connected?: boolean;
  readonly unservedMs?: number;
  readonly flush?: PartitionStore['flush'];
  readonly release?: MembershipStore['release'];
}

/** A partition whose database and broker answer at once: what it does is over within a turn. */
async function served(setup: Setup = {}) {
  const { kind = counters, connected = true, unservedMs = 0, flush, release } = setup;
  const [clock, log, telemetry] = [new ManualClock(), silentLogger, silentTelemetry];
  const members = { join: async () => clock.nowMs(), release } as unknown as MembershipStore;
  const membership = new Membership({
    ...{ memberId: 'one', kinds: [kind.kind], newIncarnation: () => 'first', mayJoin: () => true },
    ...{ store: members, clock, log, policy: defaultPolicy },
    onLost: () => undefined,
    onJoined: () => undefined,
  });
  await membership.start();
  let receive: Parameters<PartitionBus['subscribeCommands']>[1] | undefined;
  const subscription = { close: async () => undefined };
  const bus = {
    connected,
    subscribeCommands: async (_: unknown, taker: typeof receive) => {
      receive = taker;
      return subscription;
    },
  } as unknown as PartitionBus;
  const store = {
    flush,
    commit: async () => ({ kind: 'committed' }),
    replies: async () => new Map(),
  } as unknown as PartitionStore;
  const rests: boolean[] = [];
  const relayed: string[] = [];
  const deps: PartitionDeps = {
    ...{ kind, membership, members, bus, clock, log, telemetry, store, commits: store },
    messages: { publish: async () => undefined, consume: () => subscription },
    policy: defaultPolicy,
    relay: (messages: readonly OutgoingMessage[]) => {
      relayed.push(...messages.map(({ msgId }) => msgId));
    },
    onStopped: () => undefined,
    onRest: () => rests.push(host.isAtRest),
  };
  const token = { kind: kind.kind, part: 0, epoch: 1, incarnation: 'first' };
  const host = new PartitionHost(deps, token);
  await host.activate(clock.nowMs(), { parts: [0] }, unservedMs);
  const ask = (id: string, answer: (reply: WireReply) => void) => {
    const command: IncomingCommand = { id, type: 'add', body: {}, account: 'tester', trace: {} };
    receive?.(command, { sizeBytes: 100, answer });
  };
  return { clock, host, rests, relayed, ask };
}

const turn = () => new Promise(setImmediate);

async function afterSteps(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await Promise.resolve();
}

for (let steps = 0; steps <= 13; steps += 1) {
  test(`what comes ${steps} steps after an answer is decided, too`, async (t) => {
    const { host, rests, ask } = await served();
    const answered: string[] = [];

    ask('first', () => {
      answered.push('first');
      void afterSteps(steps).then(() => ask('second', () => answered.push('second')));
    });
    await turn();

    t.deepEqual(answered, ['first', 'second']);
    t.is(host.waiting, 0);
    t.true(host.isAtRest);
    t.true(rests.length > 0 && rests.every((isAtRest) => isAtRest));
  });
}

test('that there was nothing to do is no answer to a repeat, what was done is', async (t) => {
  let isThereWork = false;
  const decide: PartitionActor['decide'] = () => {
    const reply = { kind: 'ok', body: isThereWork ? 'work' : 'nothing' } as const;
    return isThereWork ? { reply, changes } : { reply };
  };
  const kind = { kind: 'counter', activate: async () => ({ ...actor, decide }) };
  const { ask } = await served({ kind });
  const answered: WireReply[] = [];

  for (const isThere of [false, true, false]) {
    isThereWork = isThere;
    ask('same', (answer) => answered.push(answer));
    await turn();
  }

  const bodies = answered.map((answer) => (answer.kind === 'ok' ? answer.body : answer.kind));
  t.deepEqual(bodies, ['nothing', 'work', 'work']);
});

const bell = { id: 'noon', type: 'add', body: {}, account: 'system', trace: {} };
const news = { msgId: 'news', subject: 'fact.noon', body: {} };

function ringing(isDueWithoutCallers: boolean): PartitionKind {
  return {
    kind: 'counter',
    ...(isDueWithoutCallers && { isDueWithoutCallers }),
    activate: async () => ({
      ...actor,
      decide: ({ id }) => ({
        reply: { kind: 'ok', body: id },
        changes: { ...changes, outbox: [news] },
      }),
      due: () => [bell],
    }),
  };
}

// A race closes at noon and ends at its limit; what it has to say waits in the outbox.
test('what is nobody’s silence is due without a broker, and told once there is one', async (t) => {
  const { host, relayed } = await served({ kind: ringing(true), connected: false });
  host.tick();
  await turn();
  t.deepEqual(relayed, ['news']);
});

test('without a broker nobody could have beaten, and nothing else is due', async (t) => {
  const { host, relayed } = await served({ kind: ringing(false), connected: false });
  host.tick();
  await turn();
  t.deepEqual(relayed, []);
});

test('of an outage that is heard of later no time is forgiven twice', async (t) => {
  const forgiven: number[] = [];
  const extendDeadlines = (outageMs: number) => forgiven.push(outageMs);
  const kind = { kind: 'counter', activate: async () => ({ ...actor, extendDeadlines }) };
  const { clock, host } = await served({ kind, unservedMs: 10_000 });
  await clock.advance(1_000);
  // All of it after the takeover; from the middle of what nobody served on; from before that on.
  for (const outageMs of [800, 5_000, 15_000]) host.extendDeadlines(outageMs);

  t.deepEqual(forgiven, [800, 1_000, 5_000]);
});

test('a flush that fails belongs to the next one', async (t) => {
  const rows = [1, 2].map((at) => ({ evalRunId: `run-${at}` })) as unknown as Flush['rows'];
  const toWrite = [...rows];
  const takeFlush = (): Flush | undefined =>
    toWrite.length === 0 ? undefined : { table: 'run_beat', rows: toWrite.splice(0) };
  const flushFailed = (failed: Flush) => void toWrite.push(...failed.rows);
  const kind = { kind: 'counter', activate: async () => ({ ...actor, takeFlush, flushFailed }) };
  const written: unknown[] = [];
  let isAway = true;
  const { host } = await served({
    kind,
    flush: async (_, flushed) => {
      if (isAway) throw new Error('canceling statement due to lock timeout');
      written.push(...(flushed as Flush).rows);
    },
  });

  await host.flush();
  t.deepEqual(written, []);
  isAway = false;
  await host.flush();
  await host.flush();

  t.deepEqual(written, rows);
});

test('who hands over writes down what leases were promised before the row is free', async (t) => {
  const rows = [{ evalRunId: 'run' }] as unknown as Flush['rows'];
  const takeFlush = (): Flush => ({ table: 'run_beat', rows });
  const kind = { kind: 'counter', activate: async () => ({ ...actor, takeFlush }) };
  const done: unknown[] = [];
  const { host } = await served({
    kind,
    flush: async (part, flushed) => void done.push([part, flushed]),
    release: async ({ part }) => {
      done.push(['released', part]);
      return false;
    },
  });

  await host.handOver();

  t.deepEqual(done, [
    [0, { table: 'run_beat', rows }],
    ['released', 0],
  ]);
});
