import { isOfEarlierActivation } from '../../machines/suite/activation.ts';
import type { Draft } from './draft.ts';

/** Of one that is not active, or was not for a while after that instant. */
export function isOfFormerSuite(
  draft: Draft,
  activeSuiteId: number | null,
  { suiteId, atMs }: { readonly suiteId: number; readonly atMs: number },
): boolean {
  const activatedAtMs = draft.state.orders?.activatedAtMs ?? null;
  return suiteId !== activeSuiteId || isOfEarlierActivation(atMs, activatedAtMs, draft.nowMs);
}
