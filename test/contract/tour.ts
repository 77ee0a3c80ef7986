import type { ExecutionContext } from 'ava';
import type { TestKey } from '../support/edge-client.ts';
import type { ContractDesk } from './contract-desk.ts';

/** What there is to be read in a world, as far as it has come. */
export interface Things {
  readonly suiteIds: number[];
  readonly versionIds: string[];
  readonly runIds: string[];
  readonly raceIds: string[];
  readonly miners: TestKey[];
  readonly validators: TestKey[];
}

export const noThings = (): Things => ({
  suiteIds: [],
  versionIds: [],
  runIds: [],
  raceIds: [],
  miners: [],
  validators: [],
});

/** Every read, of everything there is: whatever the state, each answers in its documented shape. */
export async function readEverything(
  t: ExecutionContext,
  desk: ContractDesk,
  things: Things,
): Promise<void> {
  await readLists(t, desk);
  for (const suite_id of things.suiteIds) await readSuite(t, desk, suite_id);
  for (const id of things.versionIds) await readVersion(t, desk, id);
  for (const eval_run_id of things.runIds) {
    await desk.ask(t, 'SPEC-PUB-13', { params: { eval_run_id } });
  }
  for (const race_id of things.raceIds) {
    await desk.ask(t, 'CON-4-RACE', { params: { race_id } });
    await desk.ask(t, 'SPEC-PUB-18', { params: { race_id } });
  }
  for (const by of things.miners) await readAsMiner(t, desk, by);
  for (const by of things.validators) await desk.ask(t, 'SPEC-VAL-07', { by });
}

async function readLists(t: ExecutionContext, desk: ContractDesk): Promise<void> {
  const board = (score_type: string) => desk.ask(t, 'SPEC-PUB-04', { query: { score_type } });
  await Promise.all([
    desk.ask(t, 'SPEC-PUB-01'),
    board('qualifying'),
    board('race'),
    desk.ask(t, 'SPEC-PUB-05'),
    desk.ask(t, 'SPEC-PUB-06'),
    desk.ask(t, 'SPEC-PUB-07'),
    desk.ask(t, 'SPEC-PUB-14'),
    desk.ask(t, 'SPEC-PUB-15'),
    desk.ask(t, 'SPEC-PUB-16'),
    desk.ask(t, 'SPEC-PUB-17'),
    desk.ask(t, 'CON-4-RACE_CURRENT'),
  ]);
}

async function readSuite(t: ExecutionContext, desk: ContractDesk, suite_id: number): Promise<void> {
  const params = { suite_id };
  await Promise.all([
    desk.ask(t, 'SPEC-PUB-02'),
    desk.ask(t, 'SPEC-PUB-03', { params }),
    desk.ask(t, 'SPEC-PUB-03', { params, query: { include_embeddings: true } }),
    desk.ask(t, 'SPEC-PUB-04', { query: params }),
    desk.ask(t, 'SPEC-PUB-07', { query: params }),
    desk.ask(t, 'SPEC-PUB-17', { query: params }),
  ]);
}

async function readVersion(t: ExecutionContext, desk: ContractDesk, id: string): Promise<void> {
  const params = { agent_version_id: id };
  const released = await desk.send('SPEC-PUB-11', { params });
  if (released.status === 200) await desk.ask(t, 'SPEC-PUB-11', { params });
  else await desk.refuse(t, 'CON-6-ARTIFACT_NOT_RELEASED', released);
  await Promise.all([
    desk.ask(t, 'SPEC-PUB-08', { params }),
    desk.ask(t, 'SPEC-PUB-09', { params }),
    desk.ask(t, 'SPEC-PUB-10', { params }),
    desk.ask(t, 'SPEC-PUB-10', { params, query: { phase: 'QUALIFYING' } }),
    desk.ask(t, 'SPEC-PUB-10', { params, query: { phase: 'RACE' } }),
  ]);
}

async function readAsMiner(t: ExecutionContext, desk: ContractDesk, by: TestKey): Promise<void> {
  const { agents } = await desk.ask(t, 'SPEC-MIN-02', { by });
  for (const { agent_id } of agents)
    await desk.ask(t, 'CON-4-VERSIONS', { by, params: { agent_id } });
}
