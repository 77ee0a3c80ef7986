import type { IncomingCommand, ServiceBus, Subscription } from '../../infra/ports/bus.ts';
import type { Transaction } from '../../infra/ports/sql.ts';
import type { MessageType, ReplyOf, RequestOf, ServiceContract } from './messages.ts';

/** Runs `body` in one transaction; the composition root says with which isolation and timeouts. */
export type Transact = <T>(body: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Who asks for it and for how long, and under which id it happens at most once. */
export type CommandFacts = Pick<IncomingCommand, 'account' | 'budgetMs' | 'id' | 'trace'>;

export type Handlers<C extends ServiceContract> = {
  readonly [T in MessageType<C>]: (
    request: RequestOf<C, T>,
    command: CommandFacts,
  ) => Promise<ReplyOf<C, T>>;
};

/** Subscribes a service's queue group; requests that the contract does not know are defects. */
export function serve<C extends ServiceContract>(
  bus: ServiceBus,
  contract: C,
  handlers: Handlers<C>,
): Subscription {
  return bus.serve(contract.name, async (command) => {
    const message = contract.messages[command.type];
    if (message === undefined) throw new Error(`svc.${contract.name} has no ${command.type}`);
    // Sound because the key was found in the contract whose handlers these are.
    const handle = handlers[command.type as MessageType<C>];
    const request = message.request.parse(command.body) as RequestOf<C, MessageType<C>>;
    return await handle(request, command);
  });
}
