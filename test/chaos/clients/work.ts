import { createHash } from 'node:crypto';
import { z } from 'zod';
import { exchange } from '../../../apps/world/participants/http-exchange.ts';
import type { SignedClient } from '../../../apps/world/participants/signed-client.ts';
import type { Claim } from '../../../apps/world/participants/validator-answers.ts';

const problemsAnswer = z.object({
  problems: z.array(z.object({ metadata: z.object({ task_id: z.string(), family: z.string() }) })),
});
export type Task = z.infer<typeof problemsAnswer>['problems'][number]['metadata'];

/** The tasks of suites and races, asked for once each. */
export class Rosters {
  readonly #known = new Map<string, Promise<readonly Task[]>>();

  of(client: SignedClient, claim: Claim): Promise<readonly Task[]> {
    const key = claim.race_id ?? claim.env_pack_sha256 ?? '';
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const asked = askRoster(client, claim.eval_run_id);
    asked.catch(() => this.#known.delete(key));
    this.#known.set(key, asked);
    return asked;
  }
}

async function askRoster(client: SignedClient, evalRunId: string): Promise<readonly Task[]> {
  const path = `/v1/validator/evaluation-runs/${evalRunId}/problems`;
  const reply = await client.request('GET', path);
  if (reply.status !== 200) throw new Error(`the problems were answered ${reply.status}`);
  return problemsAnswer.parse(reply.body).problems.map(({ metadata }) => metadata);
}

/** Integer of 10^-6: version, task and validator decide it, so that anybody could say it again. */
function rewardMicro(claim: Claim, { task_id: taskId }: Task, hotkey: string): number {
  const digest = createHash('sha256').update(`${claim.agent_version_id}/${taskId}`).digest();
  const own = createHash('sha256').update(`${hotkey}/${taskId}`).digest();
  const isCorrect = digest.readUInt8(0) < 200;
  return isCorrect ? 600_000 + digest.readUInt16BE(2) * 4 + (own.readUInt16BE(0) % 50_000) : 0;
}

export function itemsOf(claim: Claim, tasks: readonly Task[], hotkey: string): readonly object[] {
  return tasks.map((task) => {
    const reward = rewardMicro(claim, task, hotkey);
    return {
      ...{ eval_run_id: claim.eval_run_id, env_pack_sha256: claim.env_pack_sha256, ...task },
      outcome: 'completed',
      verdict_correct: reward > 0,
      verdict_checks: { cart_matches_goal: reward > 0 ? 'passed' : 'failed' },
      reward_components: { reasoning: 0.5 },
      aggregate_reward: reward > 0 ? (reward / 1_000_000).toFixed(6) : null,
      wall_seconds: 1.5,
      terminal_state_hash: createHash('sha256').update(task.task_id).digest('hex'),
      ledger_uri: null,
      step_count: 7,
    };
  });
}

export function scoreOf(claim: Claim, tasks: readonly Task[], hotkey: string): number {
  const total = tasks.reduce((sum, task) => sum + rewardMicro(claim, task, hotkey), 0);
  return Math.round(total / tasks.length) / 1_000_000;
}

/** What a validator fetches before it can begin; true when it is what was announced. */
export async function downloadsCode(claim: Claim): Promise<boolean> {
  const { status, body } = await exchange({ method: 'GET', url: claim.code_download_url });
  return status === 200 && createHash('sha256').update(body).digest('hex') === claim.code_sha256;
}
