import { z } from 'zod';
import type { Reply } from './signed-client.ts';

type Answer = Pick<Reply, 'body' | 'status'>;

/** A coded 4xx answer, in the words that it came with. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

const coded = z.object({ error_code: z.string().optional(), detail: z.unknown() });
const listed = z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() }));

/** The array form of 422 names no code; its first entry says what was wrong where. */
export function refusalOf({ status, body }: Answer): Refusal {
  const { error_code: code = 'VALIDATION_FAILED', detail } = coded.parse(body ?? {});
  if (typeof detail === 'string') return { status, code, detail };
  const [first] = listed.safeParse(detail).data ?? [];
  return { status, code, detail: first === undefined ? '' : `${first.loc.join('.')} ${first.msg}` };
}

/** An answer that the sender did not count on; ends what it was doing. */
export class Refused extends Error {
  override name = 'Refused';
  readonly refusal: Refusal;

  constructor(what: string, reply: Answer) {
    const refusal = refusalOf(reply);
    super(`${what} was refused: ${refusal.status} ${refusal.code} ${refusal.detail}`);
    this.refusal = refusal;
  }
}

export function expectOk(what: string, reply: Answer): unknown {
  if (reply.status >= 200 && reply.status < 300) return reply.body;
  throw new Refused(what, reply);
}
