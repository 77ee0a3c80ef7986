import type { ApiDocument } from '../../apps/edge/openapi/api-document.ts';
import type { ServiceDoor } from '../support/edge.ts';
import { claim, runPath } from '../support/evaluation-client.ts';
import { okBody } from '../support/trial-suite.ts';
import type { CanaryPlan } from './canary.ts';
import { type CellWorld, openCellWorld } from './cell-world.ts';
import { cellsOf } from './cells.ts';
import { type Material, ReplayPool } from './material.ts';

export interface Gathered {
  readonly material: Material;
  readonly canary: Omit<CanaryPlan, 'everyMs'>;
}

/** Fills a fresh service with people, runs and objects, and takes what attackers might have of them. */
export async function gather(door: ServiceDoor): Promise<Gathered> {
  const world = await openCellWorld(door);
  const { minerA, minerB, validatorA, validatorB } = world.people;
  const document = (await (await door.call('GET', '/openapi.json')).json()) as ApiDocument;
  const honest = await door.validator('canary-validator');
  const { eval_run_id: evalRunId } = await claim(honest);
  // The first beat starts the run; later ones only prolong it.
  await okBody(await honest.post(runPath(evalRunId, 'heartbeat'), {}));
  const replays = new ReplayPool();
  const token = (name: string) => tokenOf(world, name);
  const dead = ['a session that was ended', 'a session that is over'];
  const outcasts = ['a banned', 'a deregistered'].flatMap((what) =>
    ['miner', 'validator'].map((role) => `${what} ${role}, in a session`),
  );
  return {
    material: {
      ...{ document, replays, operatorToken: door.operatorToken },
      closedCells: cellsOf(document, world).filter(({ isOpen }) => !isOpen),
      keys: { miners: [minerA, minerB], validators: [validatorA, validatorB] },
      sessions: {
        miners: ['miner A, in a session', 'miner B, in a session'].map(token),
        validators: ['validator A, in a session', 'validator B, in a session'].map(token),
      },
      deadSessions: [...dead, ...outcasts].map(token),
      runToken: token('the run'),
      endedRunToken: token('a run that ended'),
      objectUrls: await presigned(world),
    },
    canary: {
      ...{ baseUrls: door.baseUrls, evalRunId, replays, validator: honest },
      miner: await door.miner('canary-miner'),
    },
  };
}

function tokenOf({ callers }: CellWorld, name: string): string {
  const headers = callers.find((each) => each.name === name)?.headers();
  const token = headers?.['authorization']?.split(' ')[1];
  if (token === undefined) throw new Error(`${name} holds no token`);
  return token;
}

async function presigned({ people, objects }: CellWorld): Promise<Material['objectUrls']> {
  const { validatorA } = people;
  const ids = objects.run[0]?.ids ?? {};
  const upload = await okBody<{ upload_url: string }>(
    await validatorA.post('/v1/validator/uploads/presign', {
      ...{ content_length: 10, eval_run_id: ids['eval_run_id'], problem_id: ids['problem_id'] },
    }),
  );
  const path = `/v1/validator/pack/${ids['pack_sha256']}`;
  const pack = await okBody<{ download_url: string }>(await validatorA.get(path));
  return [
    { method: 'PUT', url: upload.upload_url },
    { method: 'GET', url: pack.download_url },
  ];
}
