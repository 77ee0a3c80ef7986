import { randomId, sha256Hex } from '../../../infra/ids/ids.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';

export interface Attempt {
  readonly hotkey: string;
  readonly file: Uint8Array;
}

/**
 * Rejected submissions of a hotkey: analysis is dear, so a hotkey that was refused too often within
 * an hour waits. Counted in Postgres, hence over every edge and through restarts.
 */
export interface Rejections {
  /** Throws RATE_LIMITED. */
  requireBelowLimit(hotkey: string): Promise<void>;
  /** Runs the checks and records a refusal before it is answered. */
  recording(attempt: Attempt, checks: () => Promise<void>): Promise<void>;
}

export function createRejections(deps: {
  readonly sql: Sql;
  readonly bus: CommandBus;
  readonly perHourMax: number;
}): Rejections {
  return {
    async requireBelowLimit(hotkey) {
      const [row] = await deps.sql<{ count: number; waitSeconds: number }[]>`
        select count(*)::int as count,
          ceil(extract(epoch from min(at) + interval '1 hour' - rt.clock()))::int as "waitSeconds"
        from rejected_submission
        -- The clock once: asked for each refusal, all of the hotkey's would be read.
        where hotkey = ${hotkey} and at > (select rt.clock()) - interval '1 hour'`;
      if (row === undefined || row.count < deps.perHourMax) return;
      throw refusal('RATE_LIMITED', {
        says: `${row.count} of your submissions were refused this hour, and ${deps.perHourMax} may be.`,
        next: 'Look at the next one with POST /v1/miner/submit/check, and wait for as long as Retry-After says.',
        extras: {
          retry_after_seconds: Math.max(1, row.waitSeconds),
        },
      });
    },
    async recording({ hotkey, file }, checks) {
      try {
        await checks();
      } catch (error) {
        if (error instanceof Fault && error.code in reasonByCode) {
          await deps.bus.call('submissions', {
            // Not the request's: under an Idempotency-Key many refusals would count as one.
            id: randomId(),
            type: 'record-rejection',
            body: {
              hotkey,
              reason: reasonByCode[error.code as keyof typeof reasonByCode],
              codeSha256: sha256Hex(file),
            },
            account: hotkey,
          });
        }
        throw error;
      }
    },
  };
}

/** The contract's admission reasons; other faults are the service's own and count for nobody. */
const reasonByCode = {
  INVALID_FILE: 'INVALID_FILE',
  CODE_ANALYSIS_ERROR: 'CODE_ANALYSIS',
} as const;
