import { randomUUID } from 'node:crypto';
import type { DescribedOperation } from '../../apps/edge/openapi/api-document.ts';
import type { CellObject } from './cells.ts';

/** What a request says, but for who sends it. */
export interface SpokenRequest {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
}

const absent: Readonly<Record<string, () => string>> = {
  suite_id: () => '2147483647',
  pack_sha256: () => 'ab'.repeat(32),
  provider: () => 'providera',
  hotkey: () => '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY',
};

/** The path with the ids of the object; what it does not name is nobody's. */
export function pathOf({ path }: DescribedOperation, { ids }: CellObject): string {
  return path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => ids[name] ?? absent[name]?.() ?? randomUUID(),
  );
}

type BodyOf = (id: (name: string) => string) => object;

const sha256 = 'a'.repeat(64);

/** A whole, valid body each: what would be done if the caller were let. */
const bodies: Readonly<Record<string, BodyOf>> = {
  heartbeat: () => ({ cpu_pct: 1 }),
  progress: (id) => ({ problems: [{ problem_id: id('problem_id'), status: 'RUNNING' }] }),
  complete: () => ({ terminal_status: 'FAILED', failure_class: 'AGENT' }),
  'race-selection': (id) => ({ agent_version_id: id('agent_version_id') }),
  'uploads/presign': (id) => ({
    ...{ content_length: 10, eval_run_id: id('eval_run_id'), problem_id: id('problem_id') },
  }),
  'episode-artifacts/presign': (id) => ({
    ...{ eval_run_id: id('eval_run_id'), env_pack_sha256: id('pack_sha256') },
    ...{ artifact_sha256: sha256, content_length: 10 },
  }),
  'artifacts/download-url': (id) => ({
    artifact_type: id('artifact_type'),
    ...{ agent_version_id: id('agent_version_id'), eval_run_id: id('eval_run_id') },
    ...{ problem_id: id('problem_id'), episode_result_id: id('episode_result_id') },
  }),
  'episode-results': (id) => ({
    results: [
      {
        ...{ eval_run_id: id('eval_run_id'), env_pack_sha256: id('pack_sha256') },
        ...{ task_id: id('task_id'), family: 'find-product', outcome: 'completed' },
        ...{ verdict_correct: true, verdict_checks: {}, reward_components: {} },
        ...{ aggregate_reward: '0.5', wall_seconds: 1, terminal_state_hash: sha256 },
        ...{ ledger_uri: null, step_count: 1 },
      },
    ],
  }),
  'chat/completions': () => ({
    model: 'maple/maple-8b-instruct',
    messages: [{ role: 'user', content: 'hello' }],
  }),
};

/** Undefined where the path alone says everything, or where no object is named. */
export function spoken(described: DescribedOperation, object: CellObject): SpokenRequest {
  const { path, method } = described;
  const id = (name: string) => object.ids[name] ?? absent[name]?.() ?? randomUUID();
  const bodyOf = Object.entries(bodies).find(([name]) => path.endsWith(name))?.[1];
  const hasBody = described.operation.requestBody !== undefined;
  return {
    method: method.toUpperCase(),
    path: pathOf(described, object),
    body: hasBody ? bodyOf?.(id) : undefined,
  };
}
