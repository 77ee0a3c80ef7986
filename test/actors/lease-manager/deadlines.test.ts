import test from 'ava';
import fc from 'fast-check';
import { windowAfterOutageMs } from '../../../actors/lease-manager/deadlines.ts';
import { EvalWorld, evalPolicy, suiteOf } from '../../support/eval-world.ts';

// Outages of ours favour validators, and only so far: nothing that was promised is taken back; each
// outage is followed by a window, until three of them were silent; the limits of a run hold all the same.

const { claimLeaseMs, leaseMs, noProgressMs, runLimitMs } = evalPolicy;
const windowMs = windowAfterOutageMs(evalPolicy);

const step = fc.oneof(
  fc.record({ kind: fc.constant('passes' as const), ms: fc.integer({ min: 1, max: 60_000 }) }),
  fc.record({ kind: fc.constant('beats' as const), ms: fc.constant(0) }),
  fc.record({ kind: fc.constant('outage' as const), ms: fc.integer({ min: 1_000, max: 30_000 }) }),
);

function withRun() {
  const world = new EvalWorld(suiteOf(3));
  world.submit(1);
  const own = world.run('val-a');
  const isLive = () => world.runState(own).value !== 'stale';
  const deadlines = () => world.state.deadlines.get(own.evalRunId) ?? missing();
  return { world, own, isLive, deadlines };
}

function missing(): never {
  throw new Error('a live run has no deadlines');
}

test('whatever outages there are: no promise goes back, windows are given, and bounded', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const { world, own, isLive, deadlines } = withRun();
      const claimedMs = world.nowMs;
      let [signMs, outagesMs, outagesSinceSignMs] = [claimedMs, 0, 0];
      for (const { kind, ms } of steps) {
        const before = deadlines();
        if (kind === 'passes') world.pass(ms);
        if (!isLive()) return;
        if (kind === 'beats') {
          world.ok('heartbeat', own);
          [signMs, outagesSinceSignMs] = [world.nowMs, 0];
        }
        if (kind === 'outage') {
          world.actor.extendDeadlines(ms, world.nowMs);
          outagesMs += ms;
          outagesSinceSignMs += ms;
          const owedMs = signMs + leaseMs + outagesSinceSignMs + 3 * windowMs;
          t.true(deadlines().leaseUntilMs >= Math.min(world.nowMs + windowMs, owedMs));
        }
        const { leaseUntilMs, noProgressUntilMs, runLimitUntilMs } = deadlines();
        t.true(leaseUntilMs >= before.leaseUntilMs);
        t.true(runLimitUntilMs >= before.runLimitUntilMs);
        const promisedMs = Math.max(claimedMs + claimLeaseMs, signMs + leaseMs);
        t.true(leaseUntilMs <= promisedMs + outagesMs + 3 * windowMs);
        t.true(noProgressUntilMs <= claimedMs + noProgressMs + outagesMs + windowMs);
        t.true(runLimitUntilMs <= claimedMs + runLimitMs + outagesMs + windowMs);
      }
    }),
  );
});

test('whether any run is over is known at any time, whatever moved meanwhile', (t) => {
  const change = fc.record({
    kind: fc.constantFrom('passes', 'passes', 'claims', 'beats', 'ends', 'outage'),
    ms: fc.integer({ min: 1, max: leaseMs }),
    who: fc.nat({ max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 30, maxLength: 60 }), (changes) => {
      const world = new EvalWorld(suiteOf(3));
      world.submit(1);
      world.submit(2);
      const { deadlines } = world.state;
      let claims = 0;
      const live = () => [...world.state.liveRuns.committedEntries()];
      const isOver = ([id]: [string, string]) => deadlines.isOver(id, world.nowMs);
      const does = {
        passes: (ms: number) => {
          world.nowMs += ms;
        },
        outage: (ms: number) => world.actor.extendDeadlines(ms, world.nowMs),
        claims: () => {
          claims += 1;
          world.claim(`val-${claims}`);
        },
        beats: (_ms: number, who: number) => {
          const run = live().filter((each) => !isOver(each))[who];
          if (run !== undefined) deadlines.beat(run[0], world.nowMs);
        },
        ends: (_ms: number, who: number) => {
          const run = live().filter((each) => !isOver(each))[who];
          if (run === undefined) return;
          const [evalRunId, agentVersionId] = run;
          const { validatorHotkey } = world.runState({
            evalRunId,
            agentVersionId,
            validatorHotkey: '',
          }).context;
          world.ok('release-run', { evalRunId, agentVersionId, validatorHotkey });
        },
      };
      for (const { kind, ms, who } of changes) {
        does[kind](ms, who);
        t.is(deadlines.isAnyOver(world.nowMs), live().some(isOver));
      }
    }),
  );
});
