import { type MinerOptions, submitAgent } from '../../apps/world/participants/simulated-miner.ts';
import { simulatedValidator } from '../../apps/world/participants/simulated-validator.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { inParallel } from './in-parallel.ts';
import type { LifecycleHistory } from './lifecycle-history.ts';
import { clientOf, registerKeys, type ServiceWorld } from './service-world.ts';

export interface LoadPlan {
  readonly validators: number;
  readonly miners: number;
  readonly seed: number;
  readonly requiredSuccesses: number;
  /** Pretended work per task. */
  readonly taskMs: number;
  /** Every so many validators one goes silent with a run in its hands, once. */
  readonly silentEvery: number;
}

export interface Load {
  /** No more submissions and claims; runs in hand are given back. */
  stop(): Promise<void>;
}

/**
 * Simulated validators that work without a pause, and miners that submit as fast as they use up:
 * work never runs out. Everything they are told goes into the history.
 */
export async function startLoad(
  world: ServiceWorld,
  plan: LoadPlan,
  history: LifecycleHistory,
): Promise<Load> {
  const { seed } = plan;
  const minerKeys = await registerKeys(world, 'miner', { count: plan.miners, seed });
  const validatorKeys = await registerKeys(world, 'validator', { count: plan.validators, seed });
  const miners = minerKeys.map((keypair, index) => ({
    who: `miner-${index}`,
    client: history.recorded(clientOf(world, keypair)),
    onEvent: history.onEvent,
  }));
  const feeding = new AbortController();
  const feed = feeder(world, plan, miners);
  await feed();
  const fed = keepFeeding(feed, feeding.signal, history);

  const validators = validatorKeys.map((keypair, index) => {
    // A quarter signs every request; the others open a session.
    const scheme = index % 4 === 0 ? 'signed-headers' : 'session';
    const isSilent = index % plan.silentEvery === plan.silentEvery - 1;
    return simulatedValidator({
      who: `validator-${index}`,
      client: history.recorded(clientOf(world, keypair, scheme)),
      clock: systemClock,
      onEvent: history.onEvent,
      rule: { seed, taskMs: plan.taskMs, artifactsPerRun: index % 5 === 0 ? 1 : 0 },
      idleMs: 500,
      ...(isSilent && { silence: { heartbeats: 1, lateMs: 1_000 } }),
    });
  });
  await Promise.all(validators.map((validator) => validator.start()));
  return {
    async stop() {
      feeding.abort();
      await Promise.all([fed, ...validators.map((validator) => validator.stop())]);
    },
  };
}

const feedEveryMs = 300;
const submissionsAtOnce = 10;
/** Of the versions: they raise before their first step, and three such runs discard them. */
const flawedEvery = 20;

/** Submits until there is three times as much to claim as the validators could take. */
function feeder(world: ServiceWorld, plan: LoadPlan, miners: readonly MinerOptions[]) {
  let count = 0;
  return async () => {
    const [row] = await world.sql<{ free: number }[]>`
      select coalesce(sum(required_successes - live_count - included_success_count), 0)::integer as free
      from work_item
      where state = 'OPEN'`;
    const missing = plan.validators * 3 - (row?.free ?? 0);
    const versions = Math.ceil(Math.max(0, missing) / plan.requiredSuccesses);
    await inParallel(submissionsAtOnce, Array.from({ length: versions }), async () => {
      const number = count++;
      const miner = miners[number % miners.length];
      if (miner === undefined) throw new Error('there are no miners');
      await submitAgent(miner, { agentName: `agent-${number}`, code: agentCode(number) });
    });
  };
}

async function keepFeeding(
  feed: () => Promise<void>,
  signal: AbortSignal,
  history: LifecycleHistory,
): Promise<void> {
  while (!signal.aborted) {
    await feed().catch((error: unknown) => history.troubles.push(`feeder: ${String(error)}`));
    await systemClock.sleep(feedEveryMs, signal);
  }
}

export function agentCode(number: number): string {
  const care = (0.2 + (number % 8) / 10).toFixed(1);
  const start =
    number % flawedEvery === flawedEvery - 1 ? '\nraise RuntimeError("no start")\n' : '';
  return `CARE = ${care}\nNUMBER = ${number}\n${start}\ndef act(task):\n    return task\n`;
}
