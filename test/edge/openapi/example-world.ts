import type { TestKey } from '../../support/edge-client.ts';
import { claim, episodes, runPath, sendResults, submit } from '../../support/evaluation-client.ts';
import {
  openRejudgedRace,
  playRejudgedRace,
  type RejudgedRace,
} from '../../support/rejudged-race.ts';
import { okBody } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';

/** A service that has what the examples of its description speak of, under other names. */
export interface ExampleWorld {
  readonly race: RejudgedRace;
  readonly miner: TestKey;
  readonly validator: TestKey;
  readonly tokens: { readonly miner: string; readonly validator: string; readonly run: string };
  readonly agentId: string;
  readonly endedRunId: string;
  /** Of the validator's, with results of all tasks but the first. */
  readonly liveRunId: string;
  /** Somebody else's, with no results. */
  readonly idleRunId: string;
  readonly problemId: string;
  readonly episodeResultId: string;
  readonly openRaceId: string;
  readonly memberId: string;
  readonly challenge: string;
}

/** What the example of a completion says. */
export const exampleScore = 0.8125;

/** A race that was released, one that is open, a live run and one that waits. */
export async function openExampleWorld(): Promise<ExampleWorld> {
  const race = await openRejudgedRace({
    ...{ RACE_EMBARGO_SECONDS: '0', MAX_CONCURRENT_RUNS: '4' },
    // Its runs live for as long as examples are tried on them.
    ...{ LEASE_SECONDS: '3600', CLAIM_LEASE_SECONDS: '3600' },
  });
  const { service, suite, judges, first, raceId } = race;
  await playRejudgedRace(race);
  const bundle = `/v1/public/races/${raceId}/bundle`;
  await until(async () => (await service.call('GET', bundle)).status === 200);
  const read = async <T>(path: string) => await okBody<T>(await service.call('GET', path));
  const members = '/v1/admin/partitions';
  const partitions = await okBody<{ members: { member_id: string }[] }>(
    await service.operator('GET', members),
  );
  const [endedRun] = await read<{ eval_run_id: string; phase: string }[]>(
    `/v1/public/agent-versions/${first}/runs?phase=QUALIFYING`,
  );
  const current = await read<{ race: { race_id: string } }>('/v1/public/races/current');
  const status = await read<{ agent_id: string }>(`/v1/public/agent-versions/${first}/status`);
  const [miner, validator] = [await service.miner('one'), judges[2]];
  const live = await startRun(race, validator);
  const connected = { credential: 'demo-one' };
  await okBody(await miner.post('/v1/miner/inference-auth/providera', connected));
  await submit(await service.miner('four'), { name: 'fourth' });
  const { eval_run_id: idleRunId } = await claim(judges[1]);
  await submit(await service.miner('five'), { name: 'waiting' });
  return {
    ...{ race, miner, validator, ...live, idleRunId },
    tokens: {
      miner: await sessionOf(miner),
      validator: await sessionOf(validator),
      run: live.accessToken,
    },
    agentId: status.agent_id,
    endedRunId: endedRun?.eval_run_id ?? '',
    openRaceId: current.race.race_id,
    memberId: partitions.members[0]?.member_id ?? '',
    challenge: await miner.challenge(),
  };

  async function startRun({ service: of }: RejudgedRace, by: TestKey) {
    const owner = await of.miner('three');
    const connected = { credential: 'demo-three' };
    await okBody(await owner.post('/v1/miner/inference-auth/providera', connected));
    await submit(owner, { name: 'third' });
    const claimed = (await claim(by)) as Awaited<ReturnType<typeof claim>> & {
      readonly inference_token: { readonly access_token: string } | null;
    };
    const { eval_run_id: liveRunId } = claimed;
    const { problems } = await okBody<{ problems: { problem_id: string }[] }>(
      await by.get(runPath(liveRunId, 'problems')),
    );
    const reward = { aggregate_reward: String(exampleScore) };
    const [, ...later] = episodes(liveRunId, suite, () => reward);
    const { results } = await sendResults(by, later);
    return {
      liveRunId,
      accessToken: claimed.inference_token?.access_token ?? '',
      problemId: problems[0]?.problem_id ?? '',
      episodeResultId: results[0]?.episode_result_id ?? '',
    };
  }
}

async function sessionOf(key: TestKey): Promise<string> {
  const opened = await key.exchange(await key.challenge());
  return (await okBody<{ session_token: string }>(opened)).session_token;
}
