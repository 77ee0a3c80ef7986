import { z } from 'zod';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { HeldRun, RunContext } from './held-run.ts';
import { download, upload } from './object-transfer.ts';
import { expectOk } from './refusal.ts';
import { type AgentTraits, type SeededOutcome, tryTask } from './seeded-rule.ts';
import { artifactTarget, batchAnswer, packAnswer, problemsAnswer } from './validator-answers.ts';
import type { Conclusion, WorkRule } from './work-rule.ts';

const taskMetadata = z.object({ task_id: z.string(), family: z.string() });
type Task = z.infer<typeof taskMetadata>;

// Small enough that progress is seen to move, far below the 500 that a batch may have.
const batchSizeMax = 10;

interface Playing {
  readonly run: HeldRun;
  readonly context: RunContext;
  readonly rule: WorkRule;
  readonly agent: AgentTraits;
  readonly packSha256: string;
}

/** An envpack run: pack, one episode per task, artifacts for the first few, results in batches. */
export async function playEpisodes(
  run: HeldRun,
  agent: AgentTraits,
  { context, rule }: { readonly context: RunContext; readonly rule: WorkRule },
): Promise<Conclusion> {
  const packSha256 = run.claim.env_pack_sha256 ?? '';
  const playing: Playing = { run, context, rule, agent, packSha256 };
  await fetchPack(playing);
  const tasks = await roster(playing);
  let rewardMicro = 0;
  for (let at = 0; at < tasks.length; at += batchSizeMax) {
    const batch = tasks.slice(at, at + batchSizeMax);
    await run.work(rule.taskMs * batch.length);
    rewardMicro += await playBatch(playing, batch, Math.max(0, rule.artifactsPerRun - at));
  }
  const score = rewardMicro / 1_000_000 / Math.max(1, tasks.length);
  return { score, components: { task_count: tasks.length } };
}

/** Downloads the delivered part and checks it; the tasks themselves come with the run. */
async function fetchPack({ run, context, packSha256 }: Playing): Promise<void> {
  const { client, clock } = context;
  const { race_id: raceId } = run.claim;
  const reply =
    raceId === null
      ? await client.request('GET', `/v1/validator/pack/${packSha256}`)
      : await client.request('POST', `/v1/validator/race/${raceId}/pack`);
  const pack = packAnswer.parse(expectOk('a pack', reply));
  await download(clock, pack.download_url, {
    sha256: pack.download_url_sha256,
    sizeBytes: pack.download_url_size_bytes,
  });
  await run.work(0);
}

async function roster({ run, context: { client } }: Playing): Promise<readonly Task[]> {
  const reply = await client.request('GET', run.path('problems'));
  const { problems } = problemsAnswer.parse(expectOk('the problems', reply));
  return problems.map(({ metadata }) => taskMetadata.parse(metadata));
}

/** The sum of the batch's rewards, in 10^-6. */
async function playBatch(
  playing: Playing,
  tasks: readonly Task[],
  artifacts: number,
): Promise<number> {
  const { run, context, rule, agent } = playing;
  const validatorHotkey = context.client.hotkey;
  let rewardMicro = 0;
  const items = [];
  for (const [index, task] of tasks.entries()) {
    const trial = { seed: rule.seed, agent, taskId: task.task_id, validatorHotkey };
    const outcome = tryTask(trial);
    const ledgerUri = index < artifacts ? await uploadLedger(playing, task, outcome) : null;
    items.push(toItem(playing, task, { outcome, ledgerUri }));
    rewardMicro += outcome.rewardMicro ?? 0;
  }
  const startedMs = context.clock.monotonicMs();
  const answer = await run.send('episode results', '/v1/validator/episode-results', {
    results: items,
  });
  const batchMs = context.clock.monotonicMs() - startedMs;
  // 409 is an item that an unanswered first attempt had already stored.
  const bad = batchAnswer
    .parse(answer)
    .results.find(({ status }) => status !== 201 && status !== 409);
  if (bad !== undefined) throw new Error(`a result was answered ${bad.status}: ${bad.error}`);
  context.onEvent({ kind: 'results', itemCount: items.length, batchMs, ...run.about });
  return rewardMicro;
}

async function uploadLedger(
  { run, context, packSha256 }: Playing,
  task: Task,
  outcome: SeededOutcome,
): Promise<string> {
  const { eval_run_id: evalRunId } = run.claim;
  const bytes = Buffer.from(`${JSON.stringify({ eval_run_id: evalRunId, ...task, ...outcome })}\n`);
  const answer = await run.send('a presign', '/v1/validator/episode-artifacts/presign', {
    eval_run_id: evalRunId,
    env_pack_sha256: packSha256,
    artifact_sha256: sha256Hex(bytes),
    content_length: bytes.length,
  });
  const target = artifactTarget.parse(answer);
  const contentType = 'application/octet-stream';
  await upload(context.clock, target.upload_url, { bytes, contentType });
  return target.artifact_uri;
}

const endless = new Set(['agent_error', 'environment_error', 'verifier_error']);

function toItem(
  { run, packSha256 }: Playing,
  task: Task,
  { outcome, ledgerUri }: { readonly outcome: SeededOutcome; readonly ledgerUri: string | null },
) {
  const { isCorrect, rewardMicro } = outcome;
  const { eval_run_id: evalRunId } = run.claim;
  const hasEnd = !endless.has(outcome.outcome);
  return {
    eval_run_id: evalRunId,
    env_pack_sha256: packSha256,
    ...task,
    outcome: outcome.outcome,
    verdict_correct: isCorrect,
    verdict_checks: { cart_matches_goal: isCorrect ? 'passed' : 'failed' },
    reward_components: { reasoning: outcome.reasoning },
    aggregate_reward: rewardMicro === null ? null : (rewardMicro / 1_000_000).toFixed(6),
    wall_seconds: outcome.wallSeconds,
    terminal_state_hash: hasEnd ? sha256Hex(`${evalRunId}/${task.task_id}`) : null,
    ledger_uri: ledgerUri,
    step_count: outcome.steps,
  };
}
