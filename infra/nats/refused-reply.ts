import { Fault, type FaultCode, faultCodes } from '../../machines/fault.ts';
import type { WireReply } from '../ports/bus.ts';

/**
 * A refusal by a code that this process does not know: coordinators are replaced before edges, so while
 * two versions stand side by side a newer one may have decided. What the code means, and by which status
 * it is answered, is known to edges alone and no part of the reply, and the code stands in no description
 * that this edge has given out.
 *
 * So callers are told that whoever could answer is not here yet (`OWNER_UNAVAILABLE`, 503 with
 * Retry-After), not that they are at fault: deployed validators drop work on a 4xx and repeat on a 5xx, a
 * refusal had no effect and is decided afresh when it is repeated, and the edge is replaced in minutes. It
 * is no `Fault`: the owner works, so an edge must not be taken for one that gets no writes through
 * (apps/edge/write-outcomes.ts), and operators read of it in its log.
 */
export class UnknownRefusal extends Error {
  override name = 'UnknownRefusal';
  readonly code: string;

  constructor(code: string, detail: string) {
    super(`unknown refusal ${code}: ${detail}`);
    this.code = code;
  }
}

/** What to throw for it. */
export function refusedBy(
  reply: Pick<Extract<WireReply, { kind: 'fault' }>, 'code' | 'detail' | 'extras'>,
): Fault | UnknownRefusal {
  if (!isFaultCode(reply.code)) return new UnknownRefusal(reply.code, reply.detail);
  return new Fault(reply.code, reply.detail, reply.extras);
}

function isFaultCode(code: string): code is FaultCode {
  return (faultCodes as readonly string[]).includes(code);
}
