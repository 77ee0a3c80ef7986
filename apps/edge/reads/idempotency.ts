import { sha256Hex } from '../../../infra/ids/ids.ts';
import { Fault } from '../../../machines/fault.ts';
import type { EdgeDeps } from '../deps.ts';

/** What a request under an `Idempotency-Key` means. */
export interface KeyedCommand {
  /** Under which it is decided where nothing is remembered. */
  readonly id: string;
  /** The first answer, while it is remembered. */
  readonly before: unknown;
}

interface InboxRow {
  readonly msgId: string;
  readonly reply: { readonly body?: unknown };
  readonly isRemembered: boolean;
  readonly seconds: string;
}

/**
 * Whether a request repeats another one under its `Idempotency-Key`. The inbox row of the command is the
 * record: it was written in the commit itself, so an answer that was given is there and no other is.
 * Refusals leave no row: a repeat of a refused request is decided afresh. A key whose last use is no
 * longer remembered stands for something new, which must not have the id of the old: all that repeat it
 * at once find the same last use, and so agree on another.
 *
 * @param commandId 32 hex digits of (caller, route, key) and 32 of the body
 * @throws IDEMPOTENCY_CONFLICT when the key was used with another body
 */
export async function keyedCommand(
  { sql, config }: Pick<EdgeDeps, 'config' | 'sql'>,
  commandId: string,
): Promise<KeyedCommand> {
  const rows = await sql<InboxRow[]>`
    select i.msg_id as "msgId", i.reply, extract(epoch from i.at)::text as seconds,
      i.at > rt.clock() - ${config.idempotencySeconds} * interval '1 second' as "isRemembered"
    from rt.inbox i
    where i.msg_id like ${`${commandId.slice(0, keyDigits)}%`} and i.consumer = 'cmd'
    order by i.at`;
  const first = rows.find(({ isRemembered }) => isRemembered);
  if (first === undefined) {
    const last = rows.at(-1);
    const id = last === undefined ? commandId : idAfter(commandId, last.seconds);
    return { id, before: undefined };
  }
  if (first.msgId.slice(0, bodyEnd) !== commandId.slice(0, bodyEnd)) {
    throw new Fault('IDEMPOTENCY_CONFLICT', 'this Idempotency-Key was used with another request');
  }
  return { id: first.msgId, before: first.reply.body };
}

const keyDigits = 32;
/** So much of the body's half stays under every use of a key. */
const bodyEnd = 48;

/** The id of the same request after a use of its key, at `seconds`, that is no longer remembered. */
export function idAfter(commandId: string, seconds: string): string {
  const use = sha256Hex(`${commandId}\n${seconds}`);
  return commandId.slice(0, bodyEnd) + use.slice(0, commandId.length - bodyEnd);
}
