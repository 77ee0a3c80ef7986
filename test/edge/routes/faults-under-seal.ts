import { randomUUID } from 'node:crypto';
import test from 'ava';
import { versionStatus } from '../../spec/answers/versions.ts';
import { fail, submit } from '../../support/evaluation-client.ts';
import { plantRace, plantSuite } from '../../support/planted-races.ts';
import { addRun, addWork } from '../../support/sealed-race.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { shaped } from './answers.ts';
import { service } from './runs-service.ts';

interface RaceRun {
  readonly status: string;
  readonly fault?: string | null;
  /** Set for a race that is over and open to all. */
  readonly isReleased?: boolean;
  readonly isJudging?: boolean;
}

/** A run of a race of its own, as its rows would be; it ended, if so, a moment ago. */
async function plantRaceRun(
  { versionId, suiteId }: { readonly versionId: string; readonly suiteId: number },
  { status, fault = null, isReleased = false, isJudging = false }: RaceRun,
): Promise<void> {
  const { sql } = service;
  const raceId = await plantRace(sql, {
    suiteId: await plantSuite(sql),
    raceNumber: 1,
    status: isReleased ? 'RACE_COMPLETE' : 'RACE_RUNNING',
    releasedInSeconds: isReleased ? -1 : null,
  });
  const workId = await addWork(sql, { versionId, suiteId, raceId, included: 2 });
  const runId = randomUUID();
  const validator = `faults under seal ${runId}`;
  await addRun(sql, { runId, suiteId, versionId, workId, raceId, validator, status, fault });
  await sql`
    update evaluation_run
    set rejudging_id = ${isJudging ? runId : null},
      completed_at = case when completed_at is not null then rt.clock() end
    where eval_run_id = ${runId}`;
}

test.serial(
  'the faults of a version are counted alike, whether a race of it is under seal or not',
  async (t) => {
    const { suiteId } = await openTrialSuite(service);
    const { agent_version_id: versionId } = await submit(await service.miner('counted miner'));
    const validator = await service.validator('counting validator');
    for (let count = 0; count < 3; count++) await fail(validator, 'AGENT');
    const order = `/v1/admin/agent-versions/${versionId}/reinstate`;
    await okBody(await service.operator('POST', order, { body: { reason: 'it was the host' } }));
    const counted = async () => {
      const path = `/v1/public/agent-versions/${versionId}/status`;
      const status = await shaped(t, versionStatus, await service.call('GET', path));
      return [status.failed_run_count, status.consecutive_agent_failures];
    };
    const version = { versionId, suiteId };
    await plantRaceRun(version, { status: 'FAILED', fault: 'PROVIDER', isReleased: true });
    const judging = { fault: 'AGENT', isReleased: true, isJudging: true };
    await plantRaceRun(version, { status: 'FAILED', ...judging });
    t.deepEqual(await counted(), [3, 0], 'those of races are not runs of the qualifying');

    await plantRaceRun(version, { status: 'RUNNING' });
    t.deepEqual(await counted(), [3, 0], 'while a race runs');
    // Who had three in vain is offered it no more for a minute.
    await fail(await service.validator('counting anew'), 'AGENT');
    t.deepEqual(await counted(), [4, 1]);
    await plantRaceRun(version, { status: 'SUCCESS' });
    await plantRaceRun(version, { status: 'FAILED', fault: 'AGENT' });
    t.deepEqual(await counted(), [4, 1], 'what came of a race under seal says nothing');
    await plantRaceRun(version, { status: 'FAILED', fault: 'AGENT', isReleased: true });
    t.deepEqual(await counted(), [4, 2]);
  },
);
