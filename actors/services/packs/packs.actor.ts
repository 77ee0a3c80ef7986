import type { Sql } from '../../../infra/ports/sql.ts';
import type { Handlers } from '../service-handler.ts';
import type { packsService } from './messages.ts';
import { insertDelivery } from './store.ts';

/** Remembers which sub-archives exist, so that each is built once. */
export function createPacksService(deps: { readonly sql: Sql }): Handlers<typeof packsService> {
  return { 'register-delivery': (delivery) => insertDelivery(deps.sql, delivery) };
}
