import { createHash } from 'node:crypto';
import {
  type EvalCommandType,
  type EvalReply,
  type EvalRequest,
  evalCommands,
} from '../../../actors/lease-manager/messages.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { CommandBus, RequestBudget } from '../../../infra/ports/bus.ts';
import { canonicalJson } from '../../../machines/canonical-json.ts';
import type { RequestContext } from '../endpoint.ts';

export interface Ask<T extends EvalCommandType> {
  readonly type: T;
  readonly part: number;
  /** The same id again gets the first answer again. */
  readonly id: string;
  readonly account: string;
  readonly body: EvalRequest<T>;
}

/** One decision of the partition's owner, durable when this resolves; refusals are Faults. */
export async function askOwner<T extends EvalCommandType>(
  bus: CommandBus,
  ask: Ask<T>,
  budget: RequestBudget = {},
): Promise<EvalReply<T>> {
  const answer = await bus.command(
    { kind: 'eval', part: ask.part },
    { id: ask.id, type: ask.type, body: ask.body, account: ask.account },
    budget,
  );
  return evalCommands[ask.type].reply.parse(answer) as EvalReply<T>;
}

/**
 * The command id of a request whose repeats must be one: under an `Idempotency-Key` the first half
 * names (caller, route, key) and the second the body, so that the key with another body is seen. A half
 * of that is of the body's one form, in which the order of object keys is free; edges of the version
 * before know the other half alone, which is of the body as it was sent.
 */
export function idempotentId(
  { idempotencyKey, commandId }: Pick<RequestContext, 'idempotencyKey' | 'commandId'>,
  body: unknown,
): string {
  if (idempotencyKey === undefined) return commandId;
  const equal = sha256Hex(canonicalJson(body));
  return commandId.slice(0, 32) + digestOf(body).slice(0, 16) + equal.slice(16, 32);
}

/** SHA-256 over the JSON text; callers build `body` with a fixed order of keys. */
export function digestOf(body: unknown): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}
