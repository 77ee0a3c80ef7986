import type { Sql } from '../../../infra/ports/sql.ts';
import type { Handlers } from '../service-handler.ts';
import type { Sweep } from '../sweep.ts';
import type { inferenceService } from './messages.ts';
import { countRequest, deleteCounted } from './store.ts';

/** Keeps what evaluation runs use of language models, each request once. */
export function createInferenceService(deps: {
  readonly sql: Sql;
}): Handlers<typeof inferenceService> {
  return {
    'record-usage': async (usage, { id }) => {
      await countRequest(deps.sql, id, usage);
      return {};
    },
  };
}

// An edge repeats for ten minutes at most; the rest is for clocks and queues.
const keepSeconds = 3600;

/** Which requests were counted matters only while somebody may repeat them. */
export function countedRequests(sql: Sql): Sweep {
  return (limit) => deleteCounted(sql, keepSeconds, limit);
}
