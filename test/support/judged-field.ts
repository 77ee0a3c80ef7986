import type { TestService } from './edge.ts';
import type { TestKey } from './edge-client.ts';
import {
  type Completed,
  claim,
  complete,
  episodes,
  evaluate,
  sendResults,
  submit,
  validators,
} from './evaluation-client.ts';
import { okBody, openTrialSuite, type TrialSuite } from './trial-suite.ts';
import { until } from './until.ts';

/** Two versions that two of four validators have judged. */
export interface JudgedField {
  readonly suite: TrialSuite;
  /** Eligible at 0.6 by 0.7 and 0.5, and at 0.55 by 0.6 and 0.5. */
  readonly versions: readonly [string, string];
  readonly judges: readonly [TestKey, TestKey, TestKey, TestKey];
  /** By version, then by judge. */
  readonly runs: readonly (readonly [string, string])[];
}

export async function judgedField(service: TestService, name: string): Promise<JudgedField> {
  const suite = await openTrialSuite(service);
  const [a, b, c, d] = await validators(service, name, 4);
  if (!(a && b && c && d)) throw new Error('four were asked for');
  const versions: string[] = [];
  const runs: [string, string][] = [];
  for (const [index, scores] of [
    ['0.7', '0.5'],
    ['0.6', '0.5'],
  ].entries()) {
    const miner = await service.miner(`${name} miner ${index}`);
    versions.push((await submit(miner, { name: `agent ${index}` })).agent_version_id);
    const first = await evaluate(a, suite, scores[0] ?? '');
    const second = await evaluate(b, suite, scores[1] ?? '');
    runs.push([first.evalRunId, second.evalRunId]);
  }
  const [one = '', two = ''] = versions;
  return { suite, versions: [one, two], judges: [a, b, c, d], runs };
}

/** Claims and evaluates with the reward of the version that it was given. */
export async function judge(
  validator: TestKey,
  suite: TrialSuite,
  rewards: ReadonlyMap<string, string>,
) {
  const { eval_run_id: evalRunId, agent_version_id: versionId } = await claim(validator);
  const reward = rewards.get(versionId) ?? '0';
  const results = episodes(evalRunId, suite, () => ({ aggregate_reward: reward }));
  await sendResults(validator, results);
  const body = { terminal_status: 'SUCCESS', validator_score: Number(reward) };
  const completed = await okBody<Completed>(await complete(validator, evalRunId, body));
  return { evalRunId, versionId, completed };
}

/** Validators but these; sightings are written down a little later, so some may still be missing. */
export async function seenBut(
  service: TestService,
  ...judges: readonly TestKey[]
): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from validator
    where hotkey <> all(${judges.map(({ hotkey }) => hotkey)})`;
  return row?.count ?? 0;
}

/** The coordinator finds its lease ended and drops what it knew: every partition is loaded anew. */
export async function restartCoordinator(service: TestService): Promise<void> {
  const owners = async () =>
    await service.sql<{ part: number; epoch: number }[]>`
    select p.part, p.epoch::int as epoch from rt.partition p
    join rt.member m on m.member_id = p.owner and m.incarnation = p.incarnation
      and m.lease_until > rt.wall_clock()
    where p.kind = 'eval' order by p.part`;
  const before = await owners();
  await service.sql`select rt.eject(member_id, incarnation) from rt.member`;
  await until(async () => {
    const now = await owners();
    return (
      now.length === before.length &&
      now.every(({ epoch }, index) => epoch > (before[index]?.epoch ?? 0))
    );
  }, 20_000);
}
