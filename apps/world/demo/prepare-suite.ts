import { join } from 'node:path';
import { randomId } from '../../../infra/ids/ids.ts';
import type { PostAdminSuitesRequest } from '../../cli/client/paddock.generated.ts';
import type { OperatorClient } from '../operator-client.ts';
import { writeDemoPack } from './demo-pack.ts';
import type { LegacySuite } from './legacy-suite.ts';
import { qualifyingTaskIds } from './shop-tasks.ts';

export interface PreparedSuite {
  readonly suiteId: number;
  readonly name: string;
  /** Where it came from and how large it is, for the story. */
  readonly summary: string;
}

/** The demo's own environment as the active suite; found again on a later start. */
export async function prepareDemoSuite(
  operator: OperatorClient,
  dataDir: string,
): Promise<PreparedSuite> {
  const pack = await writeDemoPack(join(dataDir, 'demo'));
  const uploaded = await operator.uploadPack(pack.path);
  const { task_count: tasks, family_counts: families } = uploaded;
  const heldOut = tasks - qualifyingTaskIds.length;
  const size = `${qualifyingTaskIds.length} qualifying and ${heldOut} held-out tasks in ${Object.keys(families).length} families`;
  const content = {
    execution_kind: 'envpack' as const,
    env_pack_sha256: pack.sha256,
    qualifying_task_ids: [...qualifyingTaskIds],
  };
  const named = { benchmark_name: 'Corner Shop', benchmark_number: 2 };
  return await activeSuite(operator, { ...named, ...content }, size);
}

/** The problems of a file as a `legacy_benchmark`. */
export async function prepareLegacySuite(
  operator: OperatorClient,
  { benchmarkName, problems }: LegacySuite,
): Promise<PreparedSuite> {
  const suite = {
    benchmark_name: benchmarkName,
    benchmark_number: 1,
    execution_kind: 'legacy_benchmark' as const,
    env_pack_sha256: null,
    problems: problems.map((metadata) => ({ metadata })),
  };
  return await activeSuite(operator, suite, `${problems.length} problems`);
}

type NewSuite = PostAdminSuitesRequest['body'];

async function activeSuite(
  { api }: OperatorClient,
  suite: NewSuite,
  size: string,
): Promise<PreparedSuite> {
  const before = (await api.getPublicSuites()).find(
    (known) =>
      known.benchmark_name === suite.benchmark_name &&
      known.env_pack_sha256 === suite.env_pack_sha256,
  );
  const { suite_id: suiteId, is_active: isActive } =
    before ?? (await api.postAdminSuites({ body: suite, idempotencyKey: randomId() }));
  if (!isActive) {
    await api.postAdminSuitesActivate({ suite_id: suiteId, idempotencyKey: randomId() });
  }
  const state = isActive ? 'goes on' : 'is now active';
  const name = suite.benchmark_name;
  return { suiteId, name, summary: `suite ${suiteId} "${name}" ${state}: ${size}` };
}
