import type { MessageType, ReplyOf, RequestOf } from '../../../actors/services/messages.ts';
import { documentKeyOf, operatorService } from '../../../actors/services/operator/messages.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import { askService } from '../ask-service.ts';
import type { Caller, RequestContext } from '../endpoint.ts';

type Contract = typeof operatorService;

/** One order of an operator, made once under its `Idempotency-Key` and audited by name. */
export async function order<T extends MessageType<Contract>>(
  bus: CommandBus,
  by: { readonly caller: Caller; readonly context: RequestContext },
  asked: { readonly type: T; readonly body: RequestOf<Contract, T> },
): Promise<ReplyOf<Contract, T>> {
  return await askService(bus, operatorService, {
    ...asked,
    id: by.context.commandId,
    account: `operator:${by.caller.name}`,
  });
}

/**
 * Stores what is too large for a message; answers the hash that the order then names. In place of whatever
 * is there: a power cut may have left less of it.
 */
export async function storeDocument(
  objects: Pick<ObjectStore, 'put'>,
  document: object,
): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(document));
  const sha256 = sha256Hex(bytes);
  await objects.put(documentKeyOf(sha256), bytes, { contentType: 'application/json', sha256 });
  return sha256;
}
