import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PackContent, writePack } from '../../infra/packs/write-pack.ts';
import type { TestService } from './edge.ts';
import { until } from './until.ts';

/** What suites are made through. */
type SuiteDoor = Pick<TestService, 'operator' | 'sql'>;

export interface TrialTask {
  readonly task_id: string;
  readonly family: string;
  readonly goal_text: string;
  /** What only the pack may say. */
  readonly answer: string;
}

const families = ['find-product', 'best-rated', 'voucher'];

/** `count` tasks over three families; no pack of another size has any of them. */
export function trialTasks(count: number): readonly TrialTask[] {
  return Array.from({ length: count }, (_, index) => ({
    task_id: `task-${String(index).padStart(3, '0')}`,
    family: families[index % families.length] ?? '',
    goal_text: `Order product ${index} of ${count}.`,
    answer: `secret-${index}`,
  }));
}

export const trialManifest: PackContent['manifest'] = {
  contract_version: 'c1',
  runtime_version: 'r1',
  tool_contract_version: 't1',
  verifier_version: 'v1',
  result_schema_version: 's1',
  catalog_epoch: 'epoch-7',
  catalog_sha256: 'c'.repeat(64),
  search_index_epoch: 'index-7',
  search_index_sha256: null,
  display_name: 'Trial shop',
  environment_revision: 'rev-3',
};

/** A pack's bytes as an operator would upload them. */
export async function packBytes(tasks: readonly TrialTask[]): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-trial-'));
  try {
    const path = join(folder, 'pack.tar.gz');
    const files = { 'data/catalog.txt': 'every product\n' };
    await writePack(path, {
      manifest: trialManifest,
      tasks: tasks.map((task) => ({ ...task })),
      files,
    });
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The hash of the pack, once it is kept. */
export async function uploadPack(service: SuiteDoor, tasks: readonly TrialTask[]): Promise<string> {
  const headers = { 'content-type': 'application/gzip' };
  const answer = await service.operator('POST', '/v1/admin/packs', {
    body: await packBytes(tasks),
    headers,
  });
  return (await okBody<{ pack_sha256: string }>(answer)).pack_sha256;
}

export interface TrialSuite {
  readonly suiteId: number;
  /** Null for a legacy suite. */
  readonly packSha256: string | null;
  /** The qualifying roster, in its order. */
  readonly tasks: readonly TrialTask[];
}

export interface TrialSuiteOptions {
  /** Qualifying tasks; the pack holds two more, which stay held out. */
  readonly taskCount?: number;
  readonly requiredSuccesses?: number;
}

/** Makes an envpack suite the active one, and waits until nothing of the former one is left. */
export async function openTrialSuite(
  service: SuiteDoor,
  { taskCount = 3, requiredSuccesses = 2 }: TrialSuiteOptions = {},
): Promise<TrialSuite> {
  const all = trialTasks(taskCount + 2);
  const packSha256 = await uploadPack(service, all);
  const tasks = all.slice(0, taskCount);
  const suiteId = await openSuite(service, {
    execution_kind: 'envpack',
    env_pack_sha256: packSha256,
    qualifying_task_ids: tasks.map(({ task_id }) => task_id),
    required_successes_qualifying: requiredSuccesses,
  });
  return { suiteId, packSha256, tasks };
}

/** The same for a suite without a pack. */
export async function openLegacySuite(
  service: SuiteDoor,
  suite: { readonly problems: readonly object[]; readonly race_problems?: readonly object[] },
): Promise<TrialSuite> {
  const suiteId = await openSuite(service, {
    execution_kind: 'legacy_benchmark',
    required_successes_qualifying: 1,
    ...suite,
  });
  return { suiteId, packSha256: null, tasks: [] };
}

/** Keeps a suite of this body, makes it the active one, and waits as `openTrialSuite` does. */
export async function openSuite(service: SuiteDoor, suite: object): Promise<number> {
  const body = { benchmark_name: 'Trial', benchmark_number: 7, ...suite };
  const kept = await service.operator('POST', '/v1/admin/suites', { body });
  const { suite_id: suiteId } = await okBody<{ suite_id: number }>(kept);
  await okBody(await service.operator('POST', `/v1/admin/suites/${suiteId}/activate`));
  await until(async () => {
    const [row] = await service.sql<{ open: number }[]>`
      select count(*)::int as open from work_item where state = 'OPEN' and suite_id <> ${suiteId}`;
    return row?.open === 0;
  });
  return suiteId;
}

/** The body of an accepted request; throws with the refusal. */
export async function okBody<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as T;
}
