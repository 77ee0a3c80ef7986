import { isOfEarlierActivation } from '../../machines/suite/activation.ts';
import type { Draft } from './draft.ts';

/** Whether the suite is not the active one, or has been activated anew since that instant. */
export function isOfFormerSuite(
  draft: Draft,
  activeSuiteId: number | null,
  { suiteId, atMs }: { readonly suiteId: number; readonly atMs: number },
): boolean {
  const activatedAtMs = draft.state.orders?.activatedAtMs ?? null;
  return suiteId !== activeSuiteId || isOfEarlierActivation(atMs, activatedAtMs, draft.nowMs);
}
