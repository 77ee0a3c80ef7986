import type { Sql } from '../../../infra/ports/sql.ts';
import type { Handlers } from '../service-handler.ts';
import type { submissionsService } from './messages.ts';
import { insertRejection } from './store.ts';

/** Keeps refused submissions, so that the hourly limit holds over every edge and restart. */
export function createSubmissionsService(deps: {
  readonly sql: Sql;
}): Handlers<typeof submissionsService> {
  return {
    'record-rejection': async (rejection, command) => {
      await insertRejection(deps.sql, command.id, rejection);
      return {};
    },
  };
}
