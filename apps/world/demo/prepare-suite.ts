import { join } from 'node:path';
import { z } from 'zod';
import type { OperatorClient } from '../operator-client.ts';
import { writeDemoPack } from './demo-pack.ts';
import type { LegacySuite } from './legacy-suite.ts';

const suiteAnswer = z.object({
  suite_id: z.number(),
  is_active: z.boolean(),
  benchmark_name: z.string(),
  env_pack_sha256: z.string().nullable(),
});

const packAnswer = z.object({
  task_count: z.number(),
  family_counts: z.record(z.string(), z.number()),
});

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
  const uploaded = await operator.uploadFile('/v1/admin/packs', pack.path);
  const { task_count: tasks, family_counts: families } = packAnswer.parse(uploaded);
  const size = `${tasks} tasks in ${Object.keys(families).length} families`;
  const content = { execution_kind: 'envpack', env_pack_sha256: pack.sha256 };
  const named = { benchmark_name: 'Corner Shop', benchmark_number: 1 };
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
    execution_kind: 'legacy_benchmark',
    env_pack_sha256: null,
    problems: problems.map((metadata) => ({ metadata })),
  };
  return await activeSuite(operator, suite, `${problems.length} problems`);
}

interface NewSuite {
  readonly benchmark_name: string;
  readonly env_pack_sha256: string | null;
}

async function activeSuite(
  operator: OperatorClient,
  suite: NewSuite,
  size: string,
): Promise<PreparedSuite> {
  const all = z.array(suiteAnswer).parse(await operator.get('/v1/public/suites'));
  const before = all.find(
    (known) =>
      known.benchmark_name === suite.benchmark_name &&
      known.env_pack_sha256 === suite.env_pack_sha256,
  );
  const { suite_id: suiteId, is_active: isActive } =
    before ?? suiteAnswer.parse(await operator.send('POST', '/v1/admin/suites', suite));
  if (!isActive) await operator.send('POST', `/v1/admin/suites/${suiteId}/activate`);
  const state = isActive ? 'goes on' : 'is now active';
  const name = suite.benchmark_name;
  return { suiteId, name, summary: `suite ${suiteId} "${name}" ${state}: ${size}` };
}
