import type { WireReply } from '../../infra/ports/bus.ts';
import type { FaultCode } from '../../machines/fault.ts';
import { detailOf } from '../../machines/refusal.ts';

export const moved: WireReply = { kind: 'moved' };
export const overloaded = fault('OVERLOADED', detailOf('OVERLOADED'));
export const storeUnavailable = fault('STORE_UNAVAILABLE', detailOf('STORE_UNAVAILABLE'));

export function fault(
  code: FaultCode,
  detail: string,
  extras: Readonly<Record<string, unknown>> = {},
): Extract<WireReply, { kind: 'fault' }> {
  return { kind: 'fault', code, detail, extras };
}

/** What failed is no caller's business, so it is beside the answer: for whoever parks the message. */
const causes = new WeakMap<WireReply, unknown>();

export function defect(cause: unknown): WireReply {
  const reply = fault('INTERNAL_ERROR', detailOf('INTERNAL_ERROR'));
  causes.set(reply, cause);
  return reply;
}

export function isDefect(reply: WireReply): boolean {
  return causes.has(reply);
}

export function causeOf(reply: WireReply): unknown {
  return causes.get(reply);
}

/** True when the command was decided, one way or the other, and trying again cannot change it. */
export function isFinal(reply: WireReply): boolean {
  if (reply.kind !== 'fault') return reply.kind === 'ok';
  const passing = ['INTERNAL_ERROR', 'OVERLOADED', 'STORE_UNAVAILABLE'];
  return !passing.includes(reply.code);
}
