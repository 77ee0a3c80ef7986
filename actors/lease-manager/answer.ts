import type { Fault } from '../../machines/fault.ts';
import type { Reply } from '../runtime/partition-actor.ts';

/** What a decision answers; its changes are in the draft. */
export interface Answer {
  readonly reply: Reply;
  /** The end of the lease under which the command was decided. */
  readonly validUntilMs?: number;
}

export function accepted(body: unknown, validUntilMs?: number): Answer {
  const reply = { kind: 'ok', body } as const;
  return validUntilMs === undefined ? { reply } : { reply, validUntilMs };
}

export function refused(fault: Fault): Answer {
  const { code, message: detail, extras } = fault;
  return { reply: { kind: 'fault', code, detail, extras } };
}
