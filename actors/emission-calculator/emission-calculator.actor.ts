import type { Sql } from '../../infra/ports/sql.ts';
import type { PartitionKind } from '../runtime/partition-actor.ts';
import { EmissionPartition } from './emission-partition.ts';
import { createGroundReader } from './store.ts';

export interface EmissionKindDeps {
  readonly sql: Sql;
  /** Said by standings of a suite that never had a race. */
  readonly burnRateMicro: number;
  /** How long an epoch lasts; undefined where a simulated clock says which one it is, and jumps. */
  readonly epochMs: number | undefined;
}

/** The one emission partition. It keeps nothing between batches but what it reads for each. */
export function createEmissionKind({
  sql,
  burnRateMicro,
  epochMs,
}: EmissionKindDeps): PartitionKind {
  const ground = createGroundReader(sql, { burnRateMicro });
  return { kind: 'emission', activate: async () => new EmissionPartition(ground, epochMs) };
}
