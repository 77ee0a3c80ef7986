import { Fault, type FaultCode } from '../fault.ts';

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
  const impossible = (code: FaultCode, detail: string) =>
    new Fault(code, detail, { run_status: run.status });
  const isLive = run.status === 'CLAIMED' || run.status === 'RUNNING';
  if (order === 'reclaim-run') {
    if (isLive || run.status === 'STALE') return undefined;
    return impossible('RUN_NOT_LIVE', 'the run has ended');
  }
  if (isLive) return impossible('RUN_STILL_LIVE', 'the run has not ended yet');
  if (run.status !== 'SUCCESS') return impossible('RUN_NOT_SUCCESSFUL', 'only a success counts');
  if (order === 'exclude-run' || run.isIncluded) return undefined;
  if (run.isWorkCancelled) return impossible('RUN_NOT_INCLUDABLE', 'its work was cancelled');
  if (run.isRejudging) {
    return impossible('RUN_NOT_INCLUDABLE', 'it counts when its rejudging is applied');
  }
  if (run.countedInPlace === null) return undefined;
  return impossible('RUN_NOT_INCLUDABLE', `run ${run.countedInPlace} counts in its place`);
}
