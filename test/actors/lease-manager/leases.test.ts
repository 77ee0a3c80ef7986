import test from 'ava';
import fc from 'fast-check';
import { EvalWorld, episode, evalPolicy, type OwnRun, suiteOf } from '../../support/eval-world.ts';

const { claimLeaseMs, leaseMs, noProgressMs, runLimitMs } = evalPolicy;
const minuteMs = 60_000;

function withRun(taskCount = 3) {
  const world = new EvalWorld(suiteOf(taskCount));
  world.submit(1);
  const claimed = world.claim('val-a');
  const { agentVersionId, evalRunId } = claimed ?? { agentVersionId: '', evalRunId: '' };
  const own = { agentVersionId, evalRunId, validatorHotkey: 'val-a' };
  const beat = () => world.ok('heartbeat', own)['leaseExpiresAt'] as number;
  const beatInMemory = () =>
    world.actor.answerFromMemory(world.command('heartbeat', own), world.nowMs);
  return { world, own, claimed, beat, beatInMemory, value: () => world.runState(own).value };
}

test('the first heartbeat is durable and shortens nothing; later ones stay in memory', (t) => {
  const { world, claimed, beat, beatInMemory, value } = withRun();
  t.is(claimed?.leaseExpiresAt, world.nowMs + claimLeaseMs);

  t.is(beatInMemory(), undefined);
  t.is(beat(), world.nowMs + claimLeaseMs);
  t.is(value(), 'running');
  t.truthy(world.decisions.at(-1)?.changes);
  t.is(world.decisions.at(-1)?.validUntilMs, claimed?.leaseExpiresAt);
  world.nowMs += claimLeaseMs - 1;
  t.deepEqual(beatInMemory(), { kind: 'ok', body: { leaseExpiresAt: world.nowMs + leaseMs } });
  t.is(world.actor.takeFlush()?.rows[0]?.leaseUntilMs, world.nowMs + leaseMs);
  t.is(world.actor.takeFlush(), undefined);
});

test('a heartbeat at or past the end of its lease is refused, marked or not', (t) => {
  const { world, own, beatInMemory } = withRun();
  world.nowMs += claimLeaseMs;

  const stale = { code: 'LEASE_EXPIRED', extras: { run_status: 'STALE' } };
  t.is(beatInMemory(), undefined);
  t.deepEqual(world.refusal('heartbeat', own), stale);
  world.pass(0);
  t.deepEqual(world.refusal('heartbeat', own), stale);
});

test('an untouched run is handed out again with the lease of a heartbeat', (t) => {
  const { world, own, claimed, beat, value } = withRun();
  world.nowMs += claimLeaseMs - 1_000;
  const { leaseExpiresAt } = world.ok('repeat-claim', own);
  t.is(leaseExpiresAt, world.nowMs + leaseMs);
  t.is(world.decisions.at(-1)?.changes, undefined);
  t.is(world.actor.takeFlush()?.rows[0]?.leaseUntilMs, world.nowMs + leaseMs);

  world.pass(leaseMs - 1);
  t.is(value(), 'claimed');
  t.is(world.refusal('repeat-claim', { ...own, validatorHotkey: 'val-b' }).code, 'NOT_RUN_OWNER');
  beat();
  t.is(world.refusal('repeat-claim', own).code, 'AT_CAPACITY');
  t.is(claimed?.evalRunId, own.evalRunId);
});

test('a repeated claim holds a run no longer than its limits, and none that is over', (t) => {
  const { world, own, value } = withRun();
  const claimedAt = world.nowMs;
  while (world.nowMs + minuteMs < claimedAt + noProgressMs) {
    world.pass(minuteMs);
    world.ok('repeat-claim', own);
  }
  t.is(value(), 'claimed');
  world.nowMs += minuteMs;
  t.is(world.refusal('repeat-claim', own).code, 'LEASE_EXPIRED');
  world.pass(0);
  t.like(world.runState(own), { value: 'stale', context: { endReason: 'NO_PROGRESS' } });
  t.is(world.refusal('repeat-claim', own).code, 'LEASE_EXPIRED');
});

test('a stale run frees its slot at once, for a run with a higher fence', (t) => {
  const { world, own, claimed } = withRun();

  world.pass(claimLeaseMs - 1);
  t.is(world.runState(own).value, 'claimed');
  world.pass(1);
  t.like(world.runState(own), { value: 'stale', context: { endReason: 'LEASE_EXPIRED' } });
  t.is(world.claim('val-a')?.fence, (claimed?.fence ?? 0) + 1);
});

test('an end in silence and every heartbeat are counted, and nothing before it is durable', (t) => {
  const { world, own, beat, beatInMemory } = withRun();
  beat();
  beatInMemory();
  t.deepEqual([...world.counts], [['paddock.heartbeats', 2]]);

  world.nowMs += claimLeaseMs;
  const expire = world.command('expire-runs', { evalRunIds: [own.evalRunId] });
  world.actor.begin();
  world.actor.decide(expire, world.nowMs);
  world.actor.rollback();
  world.actor.commit();
  t.is(world.counts.get('paddock.lease.expiries LEASE_EXPIRED'), undefined);
  world.handle(expire);
  t.is(world.counts.get('paddock.lease.expiries LEASE_EXPIRED'), 1);
});

test('a run whose end moved since it was found to be over lives on, and ends then', (t) => {
  const { world, own, value } = withRun();
  world.nowMs += claimLeaseMs;
  const found = world.actor.due(world.nowMs);
  t.is(found.length, 1);

  world.actor.extendDeadlines(1_000, undefined);
  const replies = found.map((command) => world.handle(command).reply);

  t.deepEqual(replies, [{ kind: 'ok', body: { staleCount: 0 } }]);
  t.is(value(), 'claimed');
  world.pass(999);
  t.is(value(), 'claimed');
  world.pass(1);
  t.like(world.runState(own), { value: 'stale', context: { endReason: 'LEASE_EXPIRED' } });
});

test('a run that only beats is stuck after an hour, and no promise goes beyond', (t) => {
  const { world, own, beat, value } = withRun();
  const claimedAt = world.nowMs;
  let promise = 0;
  while (world.nowMs + minuteMs < claimedAt + noProgressMs) {
    world.pass(minuteMs);
    promise = beat();
  }
  t.is(value(), 'running');
  t.is(promise, claimedAt + noProgressMs);
  world.pass(minuteMs);
  t.like(world.runState(own), { value: 'stale', context: { endReason: 'NO_PROGRESS' } });
});

test('progress does not save a run from its limit', (t) => {
  const { world, own, value } = withRun();
  const claimedAt = world.nowMs;
  while (world.nowMs + minuteMs < claimedAt + runLimitMs) {
    world.pass(minuteMs);
    world.ok('record-progress', { ...own, problems: [] });
  }
  t.is(value(), 'running');
  world.pass(minuteMs);
  t.like(world.runState(own), { value: 'stale', context: { endReason: 'RUN_LIMIT' } });
});

test('what comes later than before moves every end by as much and no further', (t) => {
  const { world, beat, value } = withRun();
  world.pass(minuteMs);
  const promise = beat();
  const leftMs = promise - world.nowMs;
  // A second before its end, where an outage would give it a whole lease more.
  world.pass(leftMs - 1_000);
  world.actor.extendDeadlines(7_000, undefined);
  world.pass(7_999);
  t.is(value(), 'running');
  world.pass(1);
  t.is(value(), 'stale');
});

test('an outage of ours moves every end', (t) => {
  const { world, value } = withRun();

  world.actor.extendDeadlines(40_000, world.nowMs);
  world.pass(claimLeaseMs + 39_999);
  t.is(value(), 'claimed');
  world.pass(1);
  t.is(value(), 'stale');
});

test('what is promised after an outage is a whole number of milliseconds', (t) => {
  const { world, own } = withRun();

  // As a monotonic clock measures it.
  world.actor.extendDeadlines(40_000.0421, world.nowMs);

  const { leaseExpiresAt } = world.ok('heartbeat', own) as { leaseExpiresAt: number };
  t.true(Number.isInteger(leaseExpiresAt), String(leaseExpiresAt));
});

test('what an outage gave to a lease is kept, and promised to nobody', (t) => {
  const { world, own, value } = withRun();
  world.ok('heartbeat', own);
  world.pass(claimLeaseMs - leaseMs);
  world.actor.extendDeadlines(10 * leaseMs, world.nowMs);

  const told = world.ok('heartbeat', own) as { leaseExpiresAt: number };

  // No more than whoever takes over in this moment would give it.
  t.is(told.leaseExpiresAt, world.nowMs + leaseMs);
  world.pass(10 * leaseMs);
  t.is(value(), 'running');
});

test('after an outage of ours there is time for two heartbeats, however late it is', (t) => {
  const { world, beat, value } = withRun();
  beat();
  world.nowMs += claimLeaseMs - 1;

  world.actor.extendDeadlines(2_000, world.nowMs);

  world.pass(leaseMs - 1);
  t.is(value(), 'running');
  world.pass(1);
  t.is(value(), 'stale');
});

/** An edge dies every twenty seconds, and each time is missed for three. */
function flap(world: EvalWorld, onTick: () => void, isOver: () => boolean): void {
  for (let count = 0; count < 2_000 && !isOver(); count += 1) {
    world.pass(20_000);
    world.actor.extendDeadlines(3_000, world.nowMs);
    onTick();
  }
}

test('outages without end keep no silent run: it gets three windows and the time of the outages', (t) => {
  const { world, beat, value } = withRun();
  world.pass(claimLeaseMs - leaseMs);
  beat();
  const beatAtMs = world.nowMs;

  let outages = 0;
  const isOver = () => value() === 'stale';
  const count = () => {
    if (!isOver()) outages += 1;
  };
  flap(world, count, isOver);

  t.true(isOver());
  const silentMs = world.nowMs - beatAtMs - outages * 3_000;
  // It is looked at every twenty seconds.
  t.true(silentMs >= leaseMs + 3 * leaseMs && silentMs < leaseMs + 3 * leaseMs + 20_000);
});

test('a sign of life among outages brings the windows back', (t) => {
  const { world, beat, value } = withRun();
  beat();
  let ticks = 0;
  const beatSeldom = () => {
    ticks += 1;
    // Heard in one of fifteen tries.
    if (ticks % 15 === 0) beat();
  };
  flap(world, beatSeldom, () => value() === 'stale' || ticks > 150);
  t.is(value(), 'running');
});

test('outages without end lift no limit by more than their time and one window', (t) => {
  const { world, own, beat } = withRun();
  const claimedAtMs = world.nowMs;
  let outages = 0;
  const isOver = () => world.runState(own).value === 'stale';
  const beatOn = () => {
    if (isOver()) return;
    outages += 1;
    beat();
  };
  flap(world, beatOn, isOver);
  t.like(world.runState(own), { value: 'stale', context: { endReason: 'NO_PROGRESS' } });
  const tookMs = world.nowMs - claimedAtMs - outages * 3_000;
  t.true(tookMs <= noProgressMs + leaseMs + 20_000);
});

test('a lease that was lengthened without a heartbeat is written down as well', (t) => {
  const { world, own } = withRun();
  t.is(world.actor.takeFlush(), undefined);

  world.actor.extendDeadlines(claimLeaseMs, world.nowMs);

  const { evalRunId } = own;
  const leaseUntilMs = world.nowMs + 2 * claimLeaseMs;
  const noProgressUntilMs = world.nowMs + noProgressMs + claimLeaseMs;
  const runLimitUntilMs = world.nowMs + runLimitMs + claimLeaseMs;
  const until = { leaseUntilMs, noProgressUntilMs, runLimitUntilMs };
  const rows = [{ evalRunId, beatAtMs: world.nowMs, ...until }];
  t.deepEqual(world.actor.takeFlush(), { table: 'run_beat', rows });
  t.is(world.actor.takeFlush(), undefined);
});

test('what could not be written down is written the next time, as it is by then', (t) => {
  const { world, own } = withRun();
  const ended = world.run('val-b');
  world.actor.extendDeadlines(claimLeaseMs, world.nowMs);
  const failed = world.actor.takeFlush();
  if (failed === undefined) return t.fail();
  t.is(failed.rows.length, 2);

  world.ok('release-run', ended);
  world.actor.flushFailed(failed);
  world.actor.extendDeadlines(1_000, world.nowMs);

  const [row, ...others] = world.actor.takeFlush()?.rows ?? [];
  t.is(row?.evalRunId, own.evalRunId);
  t.is(row?.noProgressUntilMs, (failed.rows[0]?.noProgressUntilMs ?? 0) + 1_000);
  t.deepEqual(others, []);
  t.is(world.actor.takeFlush(), undefined);
});

test('a lease that is lengthened while its end is being committed is written only if that fails', (t) => {
  for (const end of ['commit', 'rollback'] as const) {
    const { world, own } = withRun();
    world.nowMs += claimLeaseMs;
    const expire = world.command('expire-runs', { evalRunIds: [own.evalRunId] });
    world.actor.begin();
    world.actor.decide(expire, world.nowMs);

    world.actor.extendDeadlines(1_000, world.nowMs);
    t.is(world.actor.takeFlush(), undefined);

    world.actor[end]();
    t.is(world.actor.takeFlush()?.rows.length, end === 'commit' ? undefined : 1);
  }
});

test('results move the lease like a heartbeat', (t) => {
  const { world, own, value } = withRun();
  world.pass(claimLeaseMs - 1);
  world.append(own, [episode(0)]);

  world.pass(leaseMs - 1);
  t.is(value(), 'running');
  world.pass(1);
  t.is(value(), 'stale');
});

for (const end of ['commit', 'rollback'] as const) {
  test(`a heartbeat that is answered before a ${end} outlives it`, (t) => {
    const { world, own, beat, beatInMemory, value } = withRun();
    beat();
    world.nowMs += claimLeaseMs - 10;
    world.actor.begin();
    const command = world.command('append-results', { ...own, results: [episode(0)] });
    world.actor.decide(command, world.nowMs);
    world.nowMs += 5;
    beatInMemory();
    world.actor[end]();

    world.pass(leaseMs - 1);
    t.is(value(), 'running');
    world.pass(1);
    t.is(value(), 'stale');
  });
}

test('a heartbeat is not answered while the end of its run is being committed', (t) => {
  const { world, own, beat, beatInMemory } = withRun();
  beat();
  t.not(beatInMemory(), undefined);
  world.actor.begin();
  world.actor.decide(world.command('release-run', own), world.nowMs);

  t.is(beatInMemory(), undefined);

  world.actor.rollback();
  t.not(beatInMemory(), undefined);
});

// The model is one number: the end of the latest promise. The actor must agree for every order of
// signs of life and checks, however they are delivered.
test('a run is stale exactly when a check finds its latest promise broken', (t) => {
  const gap = fc.constantFrom(0, 1, leaseMs - 1, leaseMs, leaseMs + 1, claimLeaseMs);
  const sign = fc.constantFrom('beat', 'memory', 'results', 'progress', 'check');
  const steps = fc.array(fc.record({ sign, gap }), { maxLength: 12 });
  const property = fc.property(steps, (signs) => {
    const run = withRun(12);
    const claimedAt = run.world.nowMs;
    let promise = claimedAt + claimLeaseMs;
    let progressAt = claimedAt;
    let isStale = false;
    for (const each of signs) {
      run.world.nowMs += each.gap;
      const now = run.world.nowMs;
      const isOver: boolean = isStale || now >= promise;
      const isAccepted = deliver(run, each.sign);
      if (each.sign === 'check') isStale = isOver;
      // A first heartbeat is never answered from memory.
      else if (each.sign !== 'memory' || isOver) t.is(isAccepted, !isOver);
      if (isAccepted && each.sign !== 'memory' && each.sign !== 'beat') progressAt = now;
      const cap = Math.min(progressAt + noProgressMs, claimedAt + runLimitMs);
      if (isAccepted) promise = Math.max(promise, Math.min(now + leaseMs, cap));
      t.is(run.value() === 'stale', isStale);
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 300 }));
});

/** Whether the sign was accepted as one of life. */
function deliver({ world, own, beatInMemory }: ReturnType<typeof withRun>, sign: string): boolean {
  switch (sign) {
    case 'check':
      world.pass(0);
      return false;
    case 'memory':
      return beatInMemory() !== undefined;
    case 'beat':
      return world.do('heartbeat', own).reply.kind === 'ok';
    case 'progress':
      return world.do('record-progress', { ...own, problems: [] }).reply.kind === 'ok';
    default: {
      const next = world.runState(own).context.tally.items;
      return world.append(own, [episode(next)])[0]?.status === 201;
    }
  }
}

test('closed versions do not pile up in memory, and open ones stay', (t) => {
  const world = new EvalWorld(suiteOf(0));
  world.submit(0);
  const own = world.run('val-0');

  for (let index = 1; index <= 120; index += 1) {
    world.submit(index);
    for (const validator of ['val-a', 'val-b']) {
      const run = world.run(validator, { preferred: [world.itemState(index).context.workItemId] });
      world.complete(run, { scoreMicro: 0 });
    }
  }

  t.is(world.state.aggregates.committedSize, 51);
  t.is(world.runState(own).value, 'claimed');
  t.is(world.state.liveRuns.committedSize, 1);
  t.is(world.state.openItems.committedSize, 1);
});

// What is stored of one version may be broken; nobody else's work may wait for its repair.
test('a run that cannot be ended keeps no other alive', (t) => {
  const world = new EvalWorld(suiteOf(3));
  world.submit(1);
  world.submit(2);
  const workOf = (index: number) => [world.itemState(index).context.workItemId];
  const broken = world.run('val-a', { preferred: workOf(1) });
  const sound = world.run('val-b', { preferred: workOf(2) });
  const aggregate = world.state.aggregates.get(broken.agentVersionId);
  if (aggregate === undefined) throw new Error('no version');
  world.state.aggregates.load(broken.agentVersionId, { ...aggregate, items: new Map() });

  world.nowMs += claimLeaseMs;
  const outcomes = world.actor.due(world.nowMs).map((command) => {
    try {
      return world.handle(command).reply.kind;
    } catch {
      world.actor.rollback();
      return 'defect';
    }
  });

  t.deepEqual(outcomes.sort(), ['defect', 'ok']);
  t.is(world.runState(sound).value, 'stale');
});

const firstSigns: Readonly<Record<string, (world: EvalWorld, own: OwnRun) => void>> = {
  'a heartbeat': (world, own) => world.ok('heartbeat', own),
  progress: (world, own) => world.ok('record-progress', { ...own, problems: [] }),
  'a result': (world, own) => world.append(own, [episode(0)]),
};
for (const [sign, give] of Object.entries(firstSigns)) {
  test(`that a run has started is recorded once, by ${sign} as by any other sign of life`, (t) => {
    const { world, own } = withRun();

    give(world, own);
    for (const later of Object.values(firstSigns)) later(world, own);

    const started = world.decisions
      .flatMap(({ changes }) => changes?.events ?? [])
      .filter(({ type }) => type === 'STARTED');
    t.is(started.length, 1);
    t.is(started[0]?.key, own.evalRunId);
  });
}
