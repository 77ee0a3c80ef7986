import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import type { EvalPolicy } from '../../machines/types.ts';
import type { PartitionKind, Takeover } from '../runtime/partition-actor.ts';
import { windowAfterOutageMs } from './deadlines.ts';
import { EvalPartition } from './eval-partition.ts';
import { ExpiryBrake } from './expiry-brake.ts';
import type { Ids } from './ids.ts';
import { loadOpenWork, type OpenWork, readOpenWork } from './open-work.ts';
import { PartitionState } from './partition-state.ts';
import { EvalStore } from './store.ts';

export interface EvalKindDeps {
  readonly sql: Sql;
  readonly policy: EvalPolicy;
  readonly ids: Ids;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

/** The eval partitions, each loaded with the versions that still wait for something. */
export function createEvalKind(deps: EvalKindDeps): PartitionKind {
  const { sql, policy, ids, telemetry } = deps;
  const brake = new ExpiryBrake(policy);
  const taken = new WeakMap<Takeover, Promise<OpenWork>>();
  const openWorkOf = (takeover: Takeover) => {
    const work = taken.get(takeover) ?? readOpenWork(sql, takeover.parts);
    taken.set(takeover, work);
    return work;
  };
  return {
    kind: 'eval',
    sharesCommits: true,
    faultByConstraint: {
      // Named after the claim: another partition granted the same one, and its answer was lost.
      evaluation_run_pkey: 'AT_CAPACITY',
    },
    gauges: { 'paddock.lease.live': 'liveRuns', 'paddock.lease.expiry_brake': 'isExpiryBraking' },
    async activate(part, { amnestyUntilMs, takeover, unservedMs }) {
      const notBeforeMs = amnestyUntilMs(windowAfterOutageMs(policy));
      const work = await openWorkOf(takeover);
      const state = new PartitionState(policy, work.fenceFloor);
      loadOpenWork(state, work, {
        part,
        notBeforeMs,
        ...(unservedMs !== undefined && { unservedMs }),
      });
      const loader = new EvalStore(sql, part, notBeforeMs);
      telemetry.count('paddock.lease.amnesties', state.liveRuns.committedSize);
      return new EvalPartition({ part, policy, ids, state, loader, telemetry, brake });
    },
  };
}
