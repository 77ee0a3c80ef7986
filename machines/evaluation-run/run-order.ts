import type { Fault, FaultCode } from '../fault.ts';
import { refusal, type Said } from '../refusal.ts';

/** What an operator may want done with one run. */
export type RunOrder = 'exclude-run' | 'include-run' | 'reclaim-run';

export interface OrderedRun {
  /** As the wire spells it. */
  readonly status: string;
  readonly isIncluded: boolean;
  readonly isWorkCancelled: boolean;
  /** It judges another run again, beside the score. */
  readonly isRejudging: boolean;
  /** The run that counts in its place: one that judged it again, or that it judged. */
  readonly countedInPlace: string | null;
}

/**
 * Why an order could do nothing; undefined where it can, and where what it wants is so already: an
 * order may be repeated. Asked when the order is taken, so that a hopeless one leaves no trace, and
 * again by the run's owner, who alone knows.
 */
export function obstacleTo(order: RunOrder, run: OrderedRun): Fault | undefined {
  const impossible = (code: FaultCode, said: Said = {}) =>
    refusal(code, { ...said, extras: { run_status: run.status } });
  const isLive = run.status === 'CLAIMED' || run.status === 'RUNNING';
  if (order === 'reclaim-run') {
    if (isLive || run.status === 'STALE') return undefined;
    return impossible('RUN_NOT_LIVE');
  }
  if (isLive) return impossible('RUN_STILL_LIVE');
  if (run.status !== 'SUCCESS') return impossible('RUN_NOT_SUCCESSFUL');
  if (order === 'exclude-run' || run.isIncluded) return undefined;
  if (run.isWorkCancelled) {
    return impossible('RUN_NOT_INCLUDABLE', {
      says: 'The work of this run was cancelled.',
      next: 'Leave it as it is.',
    });
  }
  if (run.isRejudging) {
    return impossible('RUN_NOT_INCLUDABLE', {
      says: 'This run judges another one again.',
      next: 'Apply its rejudging for it to count.',
    });
  }
  if (run.countedInPlace === null) return undefined;
  return impossible('RUN_NOT_INCLUDABLE', {
    says: `Run ${run.countedInPlace} counts in its place.`,
    next: 'Exclude that one first.',
  });
}
