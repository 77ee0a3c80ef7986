import test from 'ava';
import { minerAgents } from '../../spec/answers/miner.ts';
import { raceDetails } from '../../spec/answers/races.ts';
import { leaderboard } from '../../spec/answers/versions.ts';
import { evaluate, submit } from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { shaped } from './answers.ts';
import { service } from './runs-service.ts';

// A version whose included runs no longer suffice has no score, whatever it had before.

const get = (path: string) => service.call('GET', `/v1/public/${path}`);

test.serial(
  'a version that lost its score hides no other one, on the board or in the field',
  async (t) => {
    const suite = await openTrialSuite(service, { requiredSuccesses: 1 });
    const validator = await service.validator('lost score judge');
    const [one, two] = await Promise.all([
      service.miner('lost score one'),
      service.miner('lost score two'),
    ]);
    const scored = async (miner: typeof one, reward: string) => {
      const { agent_version_id: versionId } = await submit(miner, { name: 'shopper' });
      return { versionId, ...(await evaluate(validator, suite, reward)) };
    };
    const best = await scored(one, '0.9');
    const second = await scored(one, '0.8');
    const other = await scored(two, '0.7');

    const path = `/v1/admin/evaluation-runs/${best.evalRunId}/exclude`;
    await okBody(await service.operator('POST', path, { body: { reason: 'odd host' } }));

    const { entries, total } = await shaped(t, leaderboard, await get('leaderboard'));
    t.deepEqual(
      entries.map((each) => [
        each.rank,
        each.agent_version_id,
        each.is_active_qualifier,
      ]) as unknown,
      [
        [1, second.versionId, true],
        [2, other.versionId, true],
      ],
    );
    t.is(total, 2);
    const { qualifiers } = await shaped(t, raceDetails, await get('races/current'));
    const expected = [second.versionId, other.versionId];
    t.deepEqual(
      qualifiers.map((each) => each.agent_version_id),
      expected,
    );
    const listing = await shaped(t, minerAgents, await one.get('/v1/miner/agents'));
    t.is(listing.racing_agent_version_id, second.versionId);

    const raceId = (await shaped(t, raceDetails, await get('races/current'))).race?.race_id;
    await okBody(await service.operator('POST', `/v1/admin/races/${raceId}/close-qualifying`));
    const closed = await shaped(t, raceDetails, await get(`races/${raceId}`));
    t.deepEqual(
      closed.qualifiers.map((each) => each.agent_version_id),
      expected,
      'the close enters whom the page said',
    );
  },
);
