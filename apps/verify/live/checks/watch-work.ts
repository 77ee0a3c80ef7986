import type { WorkContext } from '../../../../machines/work-item/facts.ts';
import type { Watch } from './folds.ts';

/** The rules of a work item at every single event, not only at the end. */
export function watchWork(): Watch<WorkContext> {
  let fence = 0;
  return (before, { value, context }, { type, payload }) => {
    const { live, included, requiredSuccesses } = context;
    if (live.length + included.length > requiredSuccesses) {
      return `${live.length} live and ${included.length} included`;
    }
    const holders = live.map(({ validatorHotkey }) => validatorHotkey);
    if (new Set(holders).size < holders.length) return 'one validator holds two runs';
    // INV-11: only what takes a success out opens closed work again.
    if (type === 'REOPENED' && before.value === 'closed' && included.length >= requiredSuccesses) {
      return `${value} again with all its successes`;
    }
    if (type !== 'LEASED') return undefined;
    const last = fence;
    fence = (payload as { fence: number }).fence;
    return fence > last ? undefined : `fence ${fence} after ${last}`;
  };
}
