import type { WireReply } from '../../infra/ports/bus.ts';
import type { FaultCode } from '../../machines/fault.ts';

export const moved: WireReply = { kind: 'moved' };
export const overloaded = fault('OVERLOADED', 'too many requests are waiting');
export const storeUnavailable = fault('STORE_UNAVAILABLE', 'the database cannot be reached');
export const internalError = fault('INTERNAL_ERROR', 'the request failed for a reason of ours');

export function fault(
  code: FaultCode,
  detail: string,
  extras: Readonly<Record<string, unknown>> = {},
): Extract<WireReply, { kind: 'fault' }> {
  return { kind: 'fault', code, detail, extras };
}

/** True when the command was decided, one way or the other, and trying again cannot change it. */
export function isFinal(reply: WireReply): boolean {
  if (reply.kind !== 'fault') return reply.kind === 'ok';
  const passing = ['INTERNAL_ERROR', 'OVERLOADED', 'STORE_UNAVAILABLE'];
  return !passing.includes(reply.code);
}
