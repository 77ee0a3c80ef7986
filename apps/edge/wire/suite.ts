import { z } from 'zod';
import type { SuiteRow } from '../reads/suites.ts';

/** Of a legacy suite in each phase; a validator may report on all of them at once. */
export const suiteProblemsMax = 10_000;

export const environment = z.object({
  display_name: z.string(),
  environment_revision: z.string(),
  catalog_epoch: z.string(),
  contract_version: z.string(),
  runtime_version: z.string(),
  result_schema_version: z.string(),
});

export const suite = z
  .object({
    suite_id: z.number().int(),
    suite_version: z.number().int(),
    is_active: z.boolean(),
    execution_kind: z.enum(['legacy_benchmark', 'envpack']),
    environment,
    env_pack_sha256: z.string().nullable(),
    benchmark_name: z.string(),
    benchmark_number: z.number().int(),
  })
  .meta({ id: 'Suite' });

/** A legacy suite has no pack, so its environment may name nothing: empty texts then. */
export function toEnvironment(
  stored: Readonly<Record<string, string>>,
): z.infer<typeof environment> {
  const text = (key: string) => stored[key] ?? '';
  return {
    display_name: text('display_name'),
    environment_revision: text('environment_revision'),
    catalog_epoch: text('catalog_epoch'),
    contract_version: text('contract_version'),
    runtime_version: text('runtime_version'),
    result_schema_version: text('result_schema_version'),
  };
}

export function toSuite(row: Omit<SuiteRow, 'qualifyingThreshold'>): z.infer<typeof suite> {
  return {
    suite_id: row.suiteId,
    suite_version: row.suiteVersion,
    is_active: row.isActive,
    execution_kind: row.executionKind,
    environment: toEnvironment(row.environment),
    env_pack_sha256: row.envPackSha256,
    benchmark_name: row.benchmarkName,
    benchmark_number: row.benchmarkNumber,
  };
}
