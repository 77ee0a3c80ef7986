import type { Config } from '../infra/config/config.ts';
import { HistoryWatch } from '../infra/history/history-watch.ts';
import { createMarkFile } from '../infra/history/mark-file.ts';
import { createS3MarkCopy } from '../infra/object-store/s3-mark-copy.ts';
import type { Clock } from '../infra/ports/clock.ts';
import type { MarkCopy, TimeTold } from '../infra/ports/history.ts';
import type { Logger } from '../infra/ports/log.ts';
import type { Sql } from '../infra/ports/sql.ts';
import type { Telemetry } from '../infra/ports/telemetry.ts';
import { createHistoryStore } from '../infra/postgres/history-store.ts';
import { objectStoreOptions } from './object-store-options.ts';

/** Every place outside of the database that remembers how far it had come. */
export function markCopies(config: Config): readonly MarkCopy[] {
  const { historyFolder } = config;
  const folder = historyFolder === undefined ? [] : [createMarkFile(historyFolder)];
  return [createS3MarkCopy(objectStoreOptions(config)), ...folder];
}

/** Looks at once, and then every second until disposed of. */
export async function openHistory(deps: {
  readonly config: Config;
  readonly sql: Sql;
  /** See HistoryWatchDeps. */
  readonly isKeeper: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly onTime?: (told: TimeTold) => void;
}): Promise<HistoryWatch> {
  const { config, sql, ...rest } = deps;
  const store = createHistoryStore(sql);
  const watch = new HistoryWatch({ ...rest, store, copies: markCopies(config) });
  await watch.start();
  return watch;
}
