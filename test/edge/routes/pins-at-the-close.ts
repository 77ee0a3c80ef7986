import test from 'ava';
import { startTestService } from '../../support/edge.ts';
import { agentCode, evaluate, submit } from '../../support/evaluation-client.ts';
import { openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { refused } from './answers.ts';

const minerCount = 4;

test.serial(
  'an ordered close ends a storm of pins, and what each miner was last told races',
  async (t) => {
    const service = await startTestService({ env: { COOLDOWN_SECONDS: '0' } });
    t.teardown(() => service.stop());
    const suite = await openTrialSuite(service, { requiredSuccesses: 1 });
    const validator = await service.validator('validator');
    const miners = await Promise.all(
      Array.from({ length: minerCount }, async (_, index) => {
        const key = await service.miner(`miner ${index}`);
        const versions: string[] = [];
        for (const name of ['one', 'two']) {
          const made = await submit(key, { name, file: `${agentCode}# ${index} ${name}\n` });
          versions.push(made.agent_version_id);
        }
        return { key, versions };
      }),
    );
    for (let count = 0; count < 2 * minerCount; count++) await evaluate(validator, suite, '0.8');
    let raceId = '';
    await until(async () => {
      const [race] = await service.sql<{ raceId: string }[]>`
      select race_id as "raceId" from race where suite_id = ${suite.suiteId}`;
      raceId = race?.raceId ?? '';
      return race !== undefined;
    });

    /**
     * Pins one version and the other in turn, until it is told that pins are locked. Without an answer it
     * asks again for the same, and until it is told, that one may stand or the one before.
     */
    const pinUntilLocked = async ({ key, versions }: (typeof miners)[number]) => {
      for (let turn = 0, standing: readonly string[] = []; ; ) {
        const body = { agent_version_id: versions[turn % 2] ?? '' };
        const answer = await key.request('PUT', '/v1/miner/race-selection', { body });
        if (answer.status === 503) {
          await refused(t, answer, '503 OUTCOME_UNKNOWN');
          standing = [...standing, body.agent_version_id];
          continue;
        }
        if (answer.status !== 200) {
          await refused(t, answer, '409 RACE_LOCKED');
          return { hotkey: key.hotkey, standing };
        }
        const told = (await answer.json()) as { racing_agent_version_id: string };
        t.is(told.racing_agent_version_id, body.agent_version_id);
        standing = [body.agent_version_id];
        turn += 1;
      }
    };
    const storm = Promise.all(miners.map(pinUntilLocked));
    await until(async () => {
      const rows = await service.sql`select 1 from race_pin`;
      return rows.length === minerCount;
    });
    const order = `/v1/admin/races/${raceId}/close-qualifying`;
    t.is((await service.operator('POST', order)).status, 200);

    for (const { hotkey, standing } of await storm) {
      const rows = await service.sql<{ entered: string }[]>`
      select e.agent_version_id as entered, p.agent_version_id as pinned,
        p.pinned_at <= r.closed_at as "isBefore"
      from race r
      join race_entrant e on e.race_id = r.race_id and e.miner_hotkey = ${hotkey}
      join race_pin p on p.miner_hotkey = ${hotkey}
      where r.race_id = ${raceId}`;
      const [{ entered } = { entered: '' }] = rows;
      t.true(standing.includes(entered), `${entered} of ${standing}`);
      t.deepEqual([...rows], [{ entered, pinned: entered, isBefore: true }]);
    }
  },
);
