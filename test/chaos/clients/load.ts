import { randomUUID } from 'node:crypto';
import type { SignedClient } from '../../../apps/world/participants/signed-client.ts';
import { submitAgent } from '../../../apps/world/participants/simulated-miner.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { registerKeys } from '../../support/service-world.ts';
import { until } from '../../support/until.ts';
import type { ChaosWorld } from '../world/chaos-world.ts';
import { buildOf, claimsLostBy, deedsOf } from './habits.ts';
import type { History } from './history.ts';
import { recordedClient } from './recorded-client.ts';
import { ChaosValidator } from './validator.ts';
import { Rosters } from './work.ts';

export interface LoadPlan {
  readonly seed: number;
  readonly validators: number;
  readonly miners: number;
  /** Lifecycles that are begun, whether or not those before have ended. */
  readonly perSecond: number;
  readonly taskMs: number;
  readonly requiredSuccesses: number;
}

export interface ChaosLoad {
  readonly validators: readonly SignedClient[];
  readonly miners: readonly SignedClient[];
  /** Lifecycles that were due and for which no validator was free. */
  backlogMax(): number;
  /** Nothing new is begun; what is under way goes on to its end, as far as it gets by then. */
  stop(withinMs: number): Promise<void>;
}

const patienceMs = 60_000;
const feedEveryMs = 500;
const submissionsAtOnce = 8;
/** So many seconds of work lie ready, for the times in which nobody can submit. */
const stockSeconds = 30;
/** A validator that found nothing to do asks again no sooner. */
const idleMs = 1_000;
const stockMs = 120_000;

/** Validators and miners at an open-loop pace: an outage of the service does not slow them. */
export async function startLoad(
  world: ChaosWorld,
  plan: LoadPlan,
  history: History,
): Promise<ChaosLoad> {
  const { seed } = plan;
  const ending = new AbortController();
  const feeding = new AbortController();
  const common = { baseUrls: world.baseUrls, history, patienceMs, ending: ending.signal };
  const minerKeys = await registerKeys(world, 'miner', { count: plan.miners, seed });
  const validatorKeys = await registerKeys(world, 'validator', { count: plan.validators, seed });
  const clientOf = (keypair: (typeof minerKeys)[number], index: number) =>
    recordedClient({
      ...{ ...common, ...buildOf(index), keypair },
      losesClaim: claimsLostBy(seed, index),
    });
  const miners = minerKeys.map(clientOf);
  const validators = validatorKeys.map(clientOf);

  const rosters = new Rosters();
  const idle = validators.map((client, index) => {
    const build = buildOf(index);
    const nextDeed = deedsOf(seed, index);
    const { taskMs } = plan;
    return new ChaosValidator({
      ...{ client, build, nextDeed, history, rosters, taskMs, ending: ending.signal },
    });
  });
  const all = [...idle];
  const fed = keepFeeding(world, { plan, miners, history, signal: feeding.signal });
  await until(async () => (await freeWork(world)) >= (plan.perSecond * stockSeconds) / 2, stockMs);
  const underWay = new Set<Promise<void>>();
  let backlog = 0;
  let backlogMax = 0;

  function begin(): void {
    while (backlog > 0) {
      const validator = idle.shift();
      if (validator === undefined) break;
      backlog -= 1;
      const done = evaluate(validator, history).then(async (hasWorked) => {
        if (!hasWorked && !feeding.signal.aborted) {
          // The lifecycle is still to be done, when there is something to do.
          backlog += 1;
          await systemClock.sleep(idleMs, feeding.signal);
        }
        underWay.delete(done);
        idle.push(validator);
      });
      underWay.add(done);
    }
  }
  const stopPace = systemClock.every(1000 / plan.perSecond, () => {
    backlog += 1;
    backlogMax = Math.max(backlogMax, backlog - idle.length);
    begin();
  });
  return {
    ...{ validators, miners },
    backlogMax: () => backlogMax,
    async stop(withinMs) {
      stopPace();
      feeding.abort();
      const late = systemClock.sleep(withinMs).then(() => ending.abort());
      await Promise.race([late, Promise.all([...underWay])]);
      ending.abort();
      await Promise.all([fed, ...underWay, ...all.map((validator) => validator.drain())]);
    },
  };
}

async function evaluate(validator: ChaosValidator, history: History): Promise<boolean> {
  try {
    return await validator.evaluateOne();
  } catch (error) {
    history.troubles.push(String(error));
    return true;
  }
}

interface Feeding {
  readonly plan: LoadPlan;
  readonly miners: readonly SignedClient[];
  readonly history: History;
  readonly signal: AbortSignal;
}

/** Miners submit until there is work for a while; some say who they are when they repeat. */
async function keepFeeding(world: ChaosWorld, feeding: Feeding): Promise<void> {
  const { plan, history, signal } = feeding;
  let number = 0;
  const wanted = plan.perSecond * stockSeconds;
  while (!signal.aborted) {
    const free = await freeWork(world).catch(() => wanted);
    const missing = Math.ceil(Math.max(0, wanted - free) / plan.requiredSuccesses);
    const now = Array.from({ length: Math.min(missing, submissionsAtOnce) }, () => number++);
    await Promise.all(
      now.map((each) =>
        submit(feeding, each).catch((error: unknown) => history.troubles.push(String(error))),
      ),
    );
    if (now.length < submissionsAtOnce) await systemClock.sleep(feedEveryMs, signal);
  }
}

async function freeWork({ sql }: ChaosWorld): Promise<number> {
  const [row] = await sql<{ free: number }[]>`
    select coalesce(sum(required_successes - live_count - included_success_count), 0)::integer as free
    from work_item
    where state = 'OPEN' and phase = 'QUALIFYING'`;
  return row?.free ?? 0;
}

async function submit({ miners, plan, history }: Feeding, number: number): Promise<void> {
  const client = miners[number % miners.length];
  if (client === undefined) throw new Error('there are no miners');
  const code = `CARE = 0.5\nNUMBER = ${plan.seed}_${number}\n\n\ndef act(task):\n    return task\n`;
  const agentName = `agent-${Math.floor(number / miners.length) % 5}`;
  // Without a key a repeat after a lost answer is another version, and that is as it should be.
  const { usesKeys } = buildOf(number % miners.length);
  if (usesKeys) {
    await submitAgent(
      { who: client.hotkey, client, onEvent: () => undefined },
      { agentName, code },
    );
    return;
  }
  const form = new FormData();
  form.set('agent_name', agentName);
  form.set('file', new Blob([code], { type: 'text/x-python' }), `${randomUUID()}.py`);
  const { status } = await client.request('POST', '/v1/miner/submit', { form });
  history.count(`submissions answered ${status}`);
}
