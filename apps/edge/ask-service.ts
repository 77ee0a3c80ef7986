import type {
  MessageType,
  ReplyOf,
  RequestOf,
  ServiceContract,
} from '../../actors/services/messages.ts';
import type { CommandBus, RequestBudget } from '../../infra/ports/bus.ts';

export interface ServiceAsk<C extends ServiceContract, T extends MessageType<C>> {
  readonly type: T;
  readonly body: RequestOf<C, T>;
  /** The same id again gets the same answer again. */
  readonly id: string;
  readonly account: string;
  readonly budget?: RequestBudget;
}

/** Asks any instance of a stateless service; refusals are Faults. */
export async function askService<C extends ServiceContract, T extends MessageType<C>>(
  bus: CommandBus,
  contract: C,
  ask: ServiceAsk<C, T>,
): Promise<ReplyOf<C, T>> {
  const { type, body, id, account } = ask;
  const budget = contract.isQuick === true ? { ...ask.budget, isQuick: true } : ask.budget;
  const answer = await bus.call(contract.name, { type, body, id, account }, budget);
  // Sound because the reply schema is the one that `type` names in the contract.
  return contract.messages[type]?.reply.parse(answer) as ReplyOf<C, T>;
}
