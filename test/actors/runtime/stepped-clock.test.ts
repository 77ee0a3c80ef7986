import test from 'ava';
import { BatchRunner } from '../../../actors/runtime/batch-runner.ts';
import type { Letter } from '../../../actors/runtime/mailbox.ts';
import type { WireReply } from '../../../infra/ports/bus.ts';
import type { PartitionStore } from '../../../infra/ports/partition-store.ts';
import { completion, EvalWorld, episode } from '../../support/eval-world.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';

const minuteMs = 60_000;

/** A partition whose process reads its world's clock, while the database's is further by some. */
class SteppedWorld {
  readonly world = new EvalWorld();
  aheadMs = 0;

  async send(type: string, body: unknown): Promise<WireReply[]> {
    const { actor } = this.world;
    const command = this.world.command(type, body);
    const letter: Letter = {
      ...{ command, source: 'request', sizeBytes: 0, answers: [] },
      ...{ arrivedMs: 0, arrivedAtMs: 0 },
    };
    const replies: WireReply[] = [];
    const token = { kind: 'eval', part: 7, epoch: 1, incarnation: 'i' };
    const store = this.#store();
    const runner = new BatchRunner(
      {
        ...{ actor, token, store, commits: store, clock: new ManualClock(), log: silentLogger },
        kind: { kind: 'eval', activate: async () => actor },
        telemetry: silentTelemetry,
        sweepAfterMs: 1,
        nowMs: () => this.world.nowMs,
        settle: (_, reply) => replies.push(reply),
        isReloaded: () => false,
        relay: () => {},
      },
      [letter],
    );
    await runner.run();
    return replies;
  }

  #store(): PartitionStore {
    return {
      commit: async (_, { validUntilMs = Number.POSITIVE_INFINITY }) => {
        const nowMs = this.world.nowMs + this.aheadMs;
        return nowMs >= validUntilMs ? { kind: 'lease-passed', nowMs } : { kind: 'committed' };
      },
      replies: async () => new Map(),
      isOutage: () => false,
    } as Partial<PartitionStore> as PartitionStore;
  }
}

/** A validator that beats in time, in the middle of its run. */
function punctual() {
  const stepped = new SteppedWorld();
  const { world } = stepped;
  world.submit(1);
  const own = world.run('val-a');
  world.ok('heartbeat', own);
  world.append(own, [episode(0), episode(1)]);
  world.nowMs += minuteMs;
  return { stepped, world, own };
}

test('a database whose clock stepped on ends no run of a punctual validator', async (t) => {
  const { stepped, world, own } = punctual();
  stepped.aheadMs = 10 * minuteMs;
  const failed = completion({ terminalStatus: 'FAILED', scoreMicro: null });
  const results = { ...own, results: [episode(2)] };

  for (const [type, body] of [
    ['append-results', results],
    ['complete-run', { ...own, ...failed }],
  ] as const) {
    const [reply, ...others] = await stepped.send(type, body);

    t.like(reply, { kind: 'fault', code: 'STORE_UNAVAILABLE' });
    t.deepEqual(others, []);
  }
  t.is(world.runState(own).value, 'running');
  stepped.aheadMs = 0;
  const [again] = await stepped.send('append-results', results);
  t.is(again?.kind, 'ok');
});

test('a lease that passes while its write is on its way is over', async (t) => {
  const { stepped, world, own } = punctual();
  const leaseUntilMs = world.state.deadlines.get(own.evalRunId)?.leaseUntilMs ?? 0;
  world.nowMs = leaseUntilMs - 1;
  stepped.aheadMs = 1;
  const failed = completion({ terminalStatus: 'FAILED', scoreMicro: null });

  const [reply] = await stepped.send('complete-run', { ...own, ...failed });

  t.like(reply, { kind: 'fault', code: 'NOT_RUN_OWNER', extras: { run_status: 'STALE' } });
});
