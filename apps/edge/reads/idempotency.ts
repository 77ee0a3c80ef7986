import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { Fragment, Sql } from '../../../infra/ports/sql.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { EdgeDeps } from '../deps.ts';
import type { RequestContext } from '../endpoint.ts';

/** What a request under an `Idempotency-Key` means. */
export interface KeyedCommand {
  /** Under which it is decided where nothing is remembered. */
  readonly id: string;
  /** The first answer, while it is remembered. */
  readonly before: unknown;
}

/** The query of `at`, when a command of this id made what it makes. */
export type Making = (sql: Sql, commandId: string) => Fragment;

type Deps = Pick<EdgeDeps, 'config' | 'sql'>;

interface Use {
  /** Null where only what was made tells of it. */
  readonly msgId: string | null;
  readonly reply: { readonly body?: unknown } | null;
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
 * @param commandId 32 hex digits of (caller, route, key), 16 of the body as it was sent and 16 of its one form
 * @param making of commands that make something new: it is kept for longer than their inbox rows
 * @throws IDEMPOTENCY_CONFLICT when the key was used with another body
 */
export async function keyedCommand(
  deps: Deps,
  commandId: string,
  making?: Making,
): Promise<KeyedCommand> {
  const uses = await usesOf(deps, commandId, making);
  const first = uses.find(({ isRemembered }) => isRemembered);
  if (first === undefined) {
    const last = uses.at(-1);
    if (last === undefined) return { id: commandId, before: undefined };
    const next = idAfter(commandId, last.seconds);
    return { id: await untakenId(deps, next, making), before: undefined };
  }
  const id = first.msgId ?? '';
  if (!isOfEqualBody(id, commandId)) throw refusal('IDEMPOTENCY_CONFLICT');
  return { id, before: first.reply?.body };
}

/** Whether a request under this key, whatever its body, is remembered; known before the body has come. */
export async function isRememberedKey(
  { sql, config }: Deps,
  { idempotencyKey, commandId }: Pick<RequestContext, 'idempotencyKey' | 'commandId'>,
): Promise<boolean> {
  if (idempotencyKey === undefined) return false;
  const uses = await sql`
    select from rt.inbox i
    where i.msg_id like ${`${commandId.slice(0, keyDigits)}%`} and i.consumer = 'cmd'
      and i.at > rt.clock() - ${config.idempotencySeconds} * interval '1 second'
    limit 1`;
  return uses.length > 0;
}

/** One statement, oldest first; the inbox forgets after a week. */
async function usesOf(
  { sql, config }: Deps,
  commandId: string,
  making: Making | undefined,
): Promise<readonly Use[]> {
  const memory = sql`${config.idempotencySeconds} * interval '1 second'`;
  const told = sql`
    select i.msg_id, i.reply, i.at from rt.inbox i
    where i.msg_id like ${`${commandId.slice(0, keyDigits)}%`} and i.consumer = 'cmd'`;
  const made =
    making &&
    sql`
      union all
      select null, null, m.at from (${making(sql, commandId)}) m where m.at <= rt.clock() - ${memory}`;
  return await sql<Use[]>`
    select u.msg_id as "msgId", u.reply, extract(epoch from u.at)::text as seconds,
      u.msg_id is not null and u.at > rt.clock() - ${memory} as "isRemembered"
    from (${told} ${made ?? sql``}) u
    order by u.at`;
}

/** The first id at or after this one under which nothing was made that is no longer remembered. */
async function untakenId(deps: Deps, id: string, making: Making | undefined): Promise<string> {
  if (making === undefined) return id;
  const { sql, config } = deps;
  const [made] = await sql<Pick<Use, 'seconds'>[]>`
    select extract(epoch from m.at)::text as seconds
    from (${making(sql, id)}) m
    where m.at <= rt.clock() - ${config.idempotencySeconds} * interval '1 second'`;
  return made === undefined ? id : await untakenId(deps, idAfter(id, made.seconds), making);
}

const keyDigits = 32;
/** So much of the body's half stays under every use of a key. */
const bodyEnd = 48;

/** One of the two is enough: edges of the version before wrote no form, and equal bodies are sent in many. */
function isOfEqualBody(one: string, other: string): boolean {
  const [sent, form] = [keyDigits, bodyEnd];
  return one.slice(sent, form) === other.slice(sent, form) || one.slice(form) === other.slice(form);
}

/** The id of the same request after a use of its key, at `seconds`, that is no longer remembered. */
function idAfter(commandId: string, seconds: string): string {
  const use = sha256Hex(`${commandId}\n${seconds}`);
  return commandId.slice(0, bodyEnd) + use.slice(0, commandId.length - bodyEnd);
}
