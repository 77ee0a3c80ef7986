import type { Attempt, History } from '../clients/history.ts';
import type { Injected } from '../faults/injector.ts';

/** Before the end of a lease, in which a punctual validator asks to have it lengthened. */
const timelyMs = { from: 9_000, to: 2_500 };
/** A client hangs on a dead connection until its own time-out. */
const hangMs = 30_000;

/**
 * Runs whose validator did not ask in time to keep them, or could not reach any door of ours for
 * its network's sake. All others are punctual, and no outage of ours may cost them their lease.
 */
export function unpunctualRuns(history: History, injected: readonly Injected[]): Set<string> {
  const doors = injected.filter(({ fault }) => fault.kind === 'line' && fault.line === 'door');
  const byRun = Map.groupBy(
    history.attempts,
    ({ sent, told }) => sent.evalRunId ?? told.evalRunId ?? '',
  );
  byRun.delete('');
  const found = new Set<string>();
  for (const [evalRunId, attempts] of byRun) {
    const untilMs = Math.max(...attempts.map(({ told }) => told.leaseUntilMs ?? 0));
    const isShut = doors.some(
      ({ startMs, endMs, fault }) =>
        startMs <= untilMs &&
        endMs + (fault.kind === 'line' && fault.how === 'stranded' ? hangMs : 0) >=
          untilMs - timelyMs.from,
    );
    if (isShut || !attempts.some((attempt) => isTimely(attempt, untilMs))) found.add(evalRunId);
  }
  return found;
}

function isTimely({ callMs, sent }: Attempt, untilMs: number): boolean {
  const isSign = sent.kind === 'heartbeat' || sent.kind === 'results';
  return isSign && callMs > untilMs - timelyMs.from && callMs < untilMs - timelyMs.to;
}
