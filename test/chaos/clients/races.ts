import { z } from 'zod';
import { currentRace } from '../../../apps/world/days/race-answers.ts';
import type { SignedClient } from '../../../apps/world/participants/signed-client.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { ChaosWorld } from '../world/chaos-world.ts';
import type { History } from './history.ts';

const listing = z.object({
  agents: z.array(
    z.object({ latest_version: z.object({ agent_version_id: z.string() }).nullable() }),
  ),
});

export interface RacePlan {
  readonly world: ChaosWorld;
  readonly miners: readonly SignedClient[];
  readonly history: History;
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/**
 * Races by order of an operator, who closes and starts them far more often than noon comes, while
 * miners pin and unpin. Validators do the race's work before all other.
 */
export async function holdRaces(plan: RacePlan): Promise<void> {
  const { everyMs, signal, history } = plan;
  while (!signal.aborted) {
    await systemClock.sleep(everyMs, signal);
    if (signal.aborted) return;
    await holdRace(plan).catch((error: unknown) => history.troubles.push(`race: ${String(error)}`));
  }
}

async function holdRace({ world, miners, history }: RacePlan): Promise<void> {
  const { operator } = world;
  const { race } = currentRace.parse(await operator.get('/v1/public/races/current'));
  if (race === null) return history.count('no race to close');
  const path = `/v1/admin/races/${race.race_id}`;
  const reason = { reason: 'chaos' };
  if (race.status === 'QUALIFYING_OPEN') {
    const pins = Promise.all(miners.map((miner) => pin(miner, history)));
    await operator.send('POST', `${path}/close-qualifying`, reason);
    history.count('races closed');
    await pins;
  }
  if (race.status === 'QUALIFYING_OPEN' || race.status === 'QUALIFYING_CLOSED') {
    await operator.send('POST', `${path}/start`, reason);
    history.count('races started');
  }
}

async function pin(miner: SignedClient, history: History): Promise<void> {
  const path = '/v1/miner/race-selection';
  try {
    const { body } = await miner.request('GET', '/v1/miner/agents');
    const { agents } = listing.parse(body);
    const id = agents.find((agent) => agent.latest_version !== null)?.latest_version;
    if (id === undefined || id === null) return;
    const json = { agent_version_id: id.agent_version_id };
    const { status } = await miner.request('PUT', path, { json });
    history.count(`pins answered ${status}`);
    if (status === 200) await miner.request('DELETE', path);
  } catch (error) {
    history.troubles.push(`pin: ${String(error)}`);
  }
}
