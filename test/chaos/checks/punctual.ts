import type { Attempt, History } from '../clients/history.ts';
import type { Injected } from '../faults/injector.ts';
import { lagWithin, type Stall } from '../measures/loop-lag.ts';

/** Before the end of a lease, in which a punctual validator asks to have it lengthened. */
const timelyMs = { from: 9_000, to: 2_500 };
/** A client hangs on a dead connection until its own time-out. */
const hangMs = 30_000;

/** Of our own lag in that time; beyond it, nobody knows when a request really left. */
const lagMaxMs = 1_000;

export interface Disturbances {
  readonly injected: readonly Injected[];
  /** Of the process in which clients and proxies live. */
  readonly stalls: readonly Stall[];
}

export interface Punctuality {
  /** All others are punctual, and no outage of ours may cost them their lease. */
  readonly unpunctual: ReadonlySet<string>;
  readonly punctual: number;
  /** Of the unpunctual, those that may have been in time, were it not for our own lag. */
  readonly lagged: number;
}

/**
 * Runs whose validator did not ask in time to keep them, or could not reach any door of ours for
 * its network's sake, or whose requests were stamped by a process that stood still: what it took for
 * a request in time may have left it after the end of the lease.
 */
export function punctuality(history: History, { injected, stalls }: Disturbances): Punctuality {
  const doors = injected.filter(({ fault }) => fault.kind === 'line' && fault.line === 'door');
  const byRun = Map.groupBy(
    history.attempts,
    ({ sent, told }) => sent.evalRunId ?? told.evalRunId ?? '',
  );
  byRun.delete('');
  const unpunctual = new Set<string>();
  let lagged = 0;
  for (const [evalRunId, attempts] of byRun) {
    const untilMs = Math.max(...attempts.map(({ told }) => told.leaseUntilMs ?? 0));
    const isShut = doors.some(
      ({ startMs, endMs, fault }) =>
        startMs <= untilMs &&
        endMs + (fault.kind === 'line' && fault.how === 'stranded' ? hangMs : 0) >=
          untilMs - timelyMs.from,
    );
    const isPunctual = !isShut && attempts.some((attempt) => isTimely(attempt, untilMs));
    const hasLagged = lagWithin(stalls, untilMs - timelyMs.from, untilMs) > lagMaxMs;
    if (!isPunctual || hasLagged) unpunctual.add(evalRunId);
    if (isPunctual && hasLagged) lagged += 1;
  }
  return { unpunctual, punctual: byRun.size - unpunctual.size, lagged };
}

function isTimely({ callMs, sent }: Attempt, untilMs: number): boolean {
  const isSign = sent.kind === 'heartbeat' || sent.kind === 'results';
  return isSign && callMs > untilMs - timelyMs.from && callMs < untilMs - timelyMs.to;
}
