import type { TestService } from './edge.ts';
import type { TestKey } from './edge-client.ts';
import { okBody, type TrialSuite, type TrialTask } from './trial-suite.ts';

export const agentCode = 'def agent(task):\n    return {"order": task["goal_text"]}\n';

export interface SubmissionPart {
  readonly name?: string;
  readonly file?: string | Uint8Array;
  /** The file's part comes first. */
  readonly fileFirst?: boolean;
}

/** A multipart body as a miner's client would send it; `undefined` leaves a part out. */
export function submissionForm(part: SubmissionPart): FormData {
  const form = new FormData();
  const { name, file } = part;
  const addFile = () => {
    if (file === undefined) return;
    const bytes = typeof file === 'string' ? file : new Uint8Array(file);
    form.append('file', new Blob([bytes]), 'agent.py');
  };
  if (part.fileFirst === true) addFile();
  if (name !== undefined) form.append('agent_name', name);
  if (part.fileFirst !== true) addFile();
  return form;
}

export interface Submitted {
  readonly agent_id: string;
  readonly agent_version_id: string;
  readonly next_allowed_at: string;
}

export function sendSubmission(
  miner: TestKey,
  part: SubmissionPart = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = submissionForm({ name: 'shopper', file: agentCode, ...part });
  return miner.request('POST', '/v1/miner/submit', { body, headers });
}

/** A submission that must be accepted. */
export async function submit(miner: TestKey, part: SubmissionPart = {}): Promise<Submitted> {
  return await okBody<Submitted>(await sendSubmission(miner, part));
}

export interface Claimed {
  readonly eval_run_id: string;
  readonly agent_version_id: string;
  readonly lease_expires_at: string;
  readonly code_download_url: string;
  readonly code_sha256: string;
}

export const claimPath = '/v1/validator/work/claim';
export const resultsPath = '/v1/validator/episode-results';
export const runPath = (evalRunId: string, step: string) =>
  `/v1/validator/evaluation-runs/${evalRunId}/${step}`;

/** A claim that must find work. */
export async function claim(validator: TestKey): Promise<Claimed> {
  return await okBody<Claimed>(await validator.post(claimPath));
}

export function episode(
  evalRunId: string,
  { suite, task }: { readonly suite: TrialSuite; readonly task: TrialTask },
  overrides: Readonly<Record<string, unknown>> = {},
) {
  return {
    eval_run_id: evalRunId,
    env_pack_sha256: suite.packSha256,
    task_id: task.task_id,
    family: task.family,
    outcome: 'completed',
    verdict_correct: true,
    verdict_checks: { product: 'passed', price: 'unknown' },
    reward_components: { title: 1 },
    aggregate_reward: '0.5',
    wall_seconds: 1.5,
    terminal_state_hash: 'a'.repeat(64),
    ledger_uri: null,
    step_count: 4,
    ...overrides,
  };
}

export type Episode = ReturnType<typeof episode>;

/** One result for every task of the roster; `overrides` may depend on the task's place. */
export function episodes(
  evalRunId: string,
  suite: TrialSuite,
  overrides: (index: number) => Readonly<Record<string, unknown>> = () => ({}),
): Episode[] {
  return suite.tasks.map((task, index) => episode(evalRunId, { suite, task }, overrides(index)));
}

export interface BatchAnswer {
  readonly results: readonly {
    readonly eval_run_id: string | null;
    readonly task_id: string | null;
    readonly status: number;
    readonly episode_result_id: string | null;
    readonly error: string | null;
  }[];
  readonly counts: Readonly<Record<string, number>>;
}

export async function sendResults(
  validator: TestKey,
  results: readonly unknown[],
): Promise<BatchAnswer> {
  return await okBody<BatchAnswer>(await validator.post(resultsPath, { results }));
}

export interface Completed {
  readonly status: string;
  readonly work_item: {
    readonly included_success_count: number;
    readonly required_successes: number;
    readonly is_closed: boolean;
  };
  readonly agent_version_became_eligible: boolean;
  readonly final_score: number | null;
}

export function complete(validator: TestKey, evalRunId: string, body: object): Promise<Response> {
  return validator.post(runPath(evalRunId, 'complete'), body);
}

/** Claims, reports `reward` for every task and completes with the mean. */
export async function evaluate(
  validator: TestKey,
  suite: TrialSuite,
  reward: string,
): Promise<{ readonly evalRunId: string; readonly completed: Completed }> {
  const { eval_run_id: evalRunId } = await claim(validator);
  await sendResults(
    validator,
    episodes(evalRunId, suite, () => ({ aggregate_reward: reward })),
  );
  const body = { terminal_status: 'SUCCESS', validator_score: Number(reward) };
  const completed = await okBody<Completed>(await complete(validator, evalRunId, body));
  return { evalRunId, completed };
}

/** Ends a claimed run as failed by the fault of `failureClass`. */
export async function fail(
  validator: TestKey,
  failureClass: string,
): Promise<{ readonly evalRunId: string; readonly completed: Completed }> {
  const { eval_run_id: evalRunId } = await claim(validator);
  const body = { terminal_status: 'FAILED', failure_class: failureClass, failure_reason: 'told' };
  return { evalRunId, completed: await okBody(await complete(validator, evalRunId, body)) };
}

/** `prefix-0`, `prefix-1` …, registered. */
export async function validators(
  service: TestService,
  prefix: string,
  count: number,
): Promise<readonly TestKey[]> {
  const seeds = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  return await Promise.all(seeds.map((seed) => service.validator(seed)));
}
