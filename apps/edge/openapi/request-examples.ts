import { namedValues } from './example-values.ts';

const exampleOf = (name: string) => namedValues(name)[0];
const known = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, exampleOf(name)]));

const result = {
  ...known('eval_run_id', 'env_pack_sha256', 'task_id', 'family'),
  outcome: 'completed',
  verdict_correct: true,
  verdict_checks: { product: 'passed', price: 'passed' },
  reward_components: { title: 1 },
  aggregate_reward: '0.8125',
  wall_seconds: 12.5,
  terminal_state_hash: exampleOf('terminal_state_hash'),
  ledger_uri: null,
  step_count: 9,
};

/** By operation: whole bodies, where fields one by one make no request that anybody would send. */
export const requestExamples: Readonly<Record<string, object>> = {
  postPublicArtifactsDownloadUrl: {
    artifact_type: 'AGENT_CODE',
    ...known('agent_version_id'),
  },
  postInferenceChatCompletions: {
    ...known('model'),
    messages: [{ role: 'user', content: 'Which red bag is the cheapest?' }],
  },
  postValidatorEvaluationRunsProgress: {
    problems: [{ ...known('problem_id'), status: 'SUCCESS', score: 0.8125, execution_time: 90 }],
  },
  postValidatorEpisodeResults: { results: [result] },
  postValidatorEvaluationRunsComplete: {
    terminal_status: 'SUCCESS',
    ...known('validator_score'),
  },
  postAdminSuites: {
    ...known('benchmark_name', 'benchmark_number', 'execution_kind', 'env_pack_sha256'),
    required_successes_qualifying: 2,
    ...known('reason'),
  },
  putAdminChainRegistrationsByHotkey: {
    role: 'miner',
    stake: 1000,
    ...known('coldkey', 'reason'),
  },
  postAdminRejudgings: { ...known('validator_hotkey'), phase: 'QUALIFYING', ...known('reason') },
  patchAdminPolicy: { qualifying_threshold: 0.6, margin_initial: 0.01, ...known('reason') },
  postAdminWebhooksReplay: { cursor: 0, ...known('reason') },
};
