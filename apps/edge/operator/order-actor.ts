import type { z } from 'zod';
import type { RequestOf } from '../../../actors/services/messages.ts';
import type { OrderTicket, operatorService } from '../../../actors/services/operator/messages.ts';
import { refusedBy } from '../../../infra/nats/refused-reply.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { Fault, type FaultCode } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { faultOf } from '../../outage.ts';
import type { EdgeDeps } from '../deps.ts';
import type { Caller, RequestContext } from '../endpoint.ts';
import { type ActorReply, actorReply } from '../reads/actor-replies.ts';
import { order } from './order.ts';

type Contract = typeof operatorService;
export type ActorOrder = 'order-race' | 'order-run' | 'order-version';

const firstWaitMs = 10;
const lastWaitMs = 100;
const followedWithinMs = 3_000;

/** Of any order, beside what is refused for the sake of its object. */
export const orderFaults = [
  'IDEMPOTENCY_CONFLICT',
  'STORE_UNAVAILABLE',
  'OWNER_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
] as const satisfies readonly FaultCode[];

/** Of one to an actor, beside what the actor itself may refuse. */
export const actorOrderFaults = [
  ...orderFaults,
  'ORDER_DROPPED',
  'ORDER_PARKED',
] as const satisfies readonly FaultCode[];

/**
 * One order of an operator to an actor. The service keeps it, with its audit entry, as a message that
 * is delivered sooner or later; here only the actor's answer is waited for. Should that take too long,
 * the order stands all the same, and a repeat under the same `Idempotency-Key` waits on for it.
 */
export async function orderActor<T extends ActorOrder, R extends z.ZodType>(
  deps: Pick<EdgeDeps, 'bus' | 'clock' | 'sql'>,
  by: { readonly caller: Caller; readonly context: RequestContext },
  asked: { readonly type: T; readonly body: RequestOf<Contract, T>; readonly reply: R },
): Promise<z.output<R>> {
  const { reply: shape, ...command } = asked;
  const ticket: OrderTicket = await order(deps.bus, by, command);
  return shape.parse(bodyOf(ticket, await answerTo(ticket, deps, by.context)));
}

/** Waits for what several actors make of their parts of one order, like `orderActor` for one. */
export async function untilCarriedOut(
  deps: Pick<EdgeDeps, 'clock' | 'sql'>,
  tickets: readonly OrderTicket[],
  context: Pick<RequestContext, 'deadlineMs' | 'signal'>,
): Promise<void> {
  for (const ticket of tickets) {
    bodyOf(ticket, await answerTo(ticket, deps, context));
  }
}

/** Waits a little for what follows from an order, so that a client that looks next finds it. */
export async function untilFollowed(
  deps: Pick<EdgeDeps, 'clock' | 'sql'>,
  ticket: OrderTicket,
  signal: AbortSignal,
): Promise<void> {
  const deadlineMs = deps.clock.nowMs() + followedWithinMs;
  await answerTo(ticket, deps, { deadlineMs, signal }).catch((error: unknown) => {
    // It follows sooner or later all the same.
    if (!(error instanceof Fault)) throw error;
  });
}

async function answerTo(
  ticket: OrderTicket,
  { sql, clock }: Pick<EdgeDeps, 'clock' | 'sql'>,
  { deadlineMs, signal }: Pick<RequestContext, 'deadlineMs' | 'signal'>,
): Promise<ActorReply> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, lastWaitMs)) {
    const reply = await replyIfReadable(sql, ticket);
    if (reply !== undefined) return reply;
    if (clock.nowMs() + waitMs >= deadlineMs) {
      throw refusal('OUTCOME_UNKNOWN', { says: 'The order is kept but not carried out yet.' });
    }
    await clock.sleep(waitMs, signal);
    // Nobody waits any more, and a sleep would end at once from now on.
    signal.throwIfAborted();
  }
}

/** A database that is away says nothing about an order that was kept before. */
async function replyIfReadable(sql: Sql, ticket: OrderTicket) {
  try {
    return await actorReply(sql, ticket);
  } catch (error) {
    if (faultOf(error).code === 'STORE_UNAVAILABLE') return undefined;
    throw error;
  }
}

/** A repeat under the same key is told the same, until an operator has the message sent again. */
function bodyOf({ msgId }: OrderTicket, reply: ActorReply): unknown {
  if (reply === 'dropped') throw refusal('ORDER_DROPPED');
  if (reply === 'parked') {
    throw refusal('ORDER_PARKED', {
      says: `The order failed too often and is set aside as the parked message ${msgId}: it is not carried out.`,
    });
  }
  if (reply.kind === 'ok') return reply.body;
  if (reply.kind === 'moved') throw new Error('an order was kept as one that moved');
  throw refusedBy(reply);
}
