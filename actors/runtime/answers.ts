import type { WireReply } from '../../infra/ports/bus.ts';
import type { FaultCode } from '../../machines/fault.ts';
import { detailOf } from '../../machines/refusal.ts';

export const moved: WireReply = { kind: 'moved' };
export const overloaded = fault('OVERLOADED', detailOf('OVERLOADED'));
export const storeUnavailable = fault('STORE_UNAVAILABLE', detailOf('STORE_UNAVAILABLE'));
export const internalError = fault('INTERNAL_ERROR', detailOf('INTERNAL_ERROR'));

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
