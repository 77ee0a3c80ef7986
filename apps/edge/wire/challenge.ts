import { fourPlaces, tenThousandths } from '../../../machines/scoring/exact.ts';
import { type MarginPolicy, marginAfter } from '../../../machines/scoring/margin.ts';
import type { TopView } from '../reads/top.ts';

export interface Challenge {
  /** Texts with four decimal places. */
  readonly margin: string;
  /** The least Overall that would be promoted now. */
  readonly threshold: string;
}

/** What a challenger has to reach at this instant; null while nobody reigns. */
export function challengeOf({
  top,
  policy,
  nowMs,
}: Pick<TopView, 'nowMs' | 'top'> & { readonly policy: MarginPolicy | null }): Challenge | null {
  if (top === null || policy === null) return null;
  const margin = marginAfter(nowMs - top.topAtMs, policy);
  return { margin, threshold: fourPlaces(tenThousandths(top.score) + tenThousandths(margin)) };
}
