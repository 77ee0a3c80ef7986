import { Fault } from '../../../machines/fault.ts';

export function requireWithin(contentLength: number, bytesMax: number): void {
  if (contentLength > bytesMax) {
    throw new Fault('FILE_TOO_LARGE', `an upload may have at most ${bytesMax} bytes`, {
      max_bytes: bytesMax,
    });
  }
}

/**
 * How long an upload URL lives: no longer than the lease it was given under, as the store cannot
 * compare fences. A lease about to end still gets a second, as it may be renewed meanwhile.
 */
export function uploadSeconds(
  leaseExpiresAtMs: number,
  nowMs: number,
  limits: { readonly downloadUrlSeconds: number },
): number {
  const remaining = Math.floor((leaseExpiresAtMs - nowMs) / 1000);
  return Math.max(1, Math.min(limits.downloadUrlSeconds, remaining));
}
