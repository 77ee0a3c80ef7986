import type { RequestOf } from '../../../actors/services/messages.ts';
import type { operatorService } from '../../../actors/services/operator/messages.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { EdgeDeps } from '../deps.ts';
import type { Caller, RequestContext } from '../endpoint.ts';
import { isRegistrationNotedAfter } from '../reads/operator.ts';
import { order } from './order.ts';

/**
 * Notes what is ordered of a registration before the chain is asked for it: the chain keeps no names. A
 * repeat is noted once and asks the chain again, which may not have heard the first time; not so where
 * another order came in between, for it would be undone without an entry.
 */
export async function noteRegistration(
  { bus, sql }: Pick<EdgeDeps, 'bus' | 'sql'>,
  by: { readonly caller: Caller; readonly context: RequestContext },
  note: RequestOf<typeof operatorService, 'note-registration'>,
): Promise<void> {
  const { auditSeq } = await order(bus, by, { type: 'note-registration', body: note });
  if (auditSeq === undefined) return;
  if (await isRegistrationNotedAfter(sql, note.hotkey, auditSeq)) {
    throw refusal('IDEMPOTENCY_CONFLICT', {
      says: 'Another order has changed this registration since.',
      next: 'Send a new key if it is to be changed again.',
    });
  }
}
