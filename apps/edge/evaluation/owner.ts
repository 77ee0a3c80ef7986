import { createHash } from 'node:crypto';
import {
  type EvalCommandType,
  type EvalReply,
  type EvalRequest,
  evalCommands,
} from '../../../actors/lease-manager/messages.ts';
import type { CommandBus, RequestBudget } from '../../../infra/ports/bus.ts';
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
 * names (caller, route, key) and the second the body, so that the key with another body is seen.
 */
export function idempotentId(context: RequestContext, body: unknown): string {
  if (context.idempotencyKey === undefined) return context.commandId;
  return context.commandId.slice(0, 32) + digestOf(body).slice(0, 32);
}

/** SHA-256 over the JSON text; callers build `body` with a fixed order of keys. */
export function digestOf(body: unknown): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}
