import type { Config } from '../../infra/config/config.ts';
import type { HistoryWatch } from '../../infra/history/history-watch.ts';
import type { CommandBus } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { DomainTime } from '../../infra/ports/clock-follower.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { ObjectStore } from '../../infra/ports/object-store.ts';
import type { Seal } from '../../infra/ports/seal.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import type { Documents } from './artifacts/documents.ts';
import type { KeptEpisodes } from './artifacts/kept-episodes.ts';
import type { KeptLogs } from './artifacts/kept-logs.ts';
import type { Identity } from './auth/identity.ts';
import type { Boards } from './board/boards.ts';
import type { CurrentStandings } from './emission/standings.ts';
import type { CodeDownloads } from './evaluation/code-downloads.ts';
import type { KnownTerms } from './evaluation/known-terms.ts';
import type { RunLocator } from './evaluation/run-locator.ts';
import type { RunPace } from './evaluation/run-pace.ts';
import type { PublicFeed } from './feed/public-feed.ts';
import type { Inference } from './inference/create-inference.ts';
import type { Deliveries } from './packs/delivery.ts';
import type { Presence } from './presence.ts';
import type { KeptPages } from './public-reads/kept-pages.ts';
import type { Rates } from './rates/rates.ts';
import type { Readiness } from './readiness.ts';
import type { AnalysisTurns } from './submission/analysis-turns.ts';
import type { Rejections } from './submission/rejections.ts';

/** What the routes reach the world through; built once in apps/edge/open-deps.ts. */
export interface EdgeDeps {
  readonly config: Config;
  /** Connected with the role that may only read. */
  readonly sql: Sql;
  /** The same, for what a claim looks up: by index, however the tables grew. */
  readonly claimsSql: Sql;
  readonly bus: CommandBus;
  readonly objects: ObjectStore;
  /** A folder of this process, for files that are there for a moment. */
  readonly scratch: string;
  /** For secrets that cross the bus or rest in the database. */
  readonly seal: Seal;
  readonly analyses: AnalysisTurns;
  /** Of this host: for deadlines, timeouts and rates. */
  readonly clock: Clock;
  /** What the domain takes for now: for signed timestamps and for what answers say of time. */
  readonly time: DomainTime;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly identity: Identity;
  readonly runs: RunLocator;
  readonly pace: RunPace;
  readonly codeDownloads: CodeDownloads;
  readonly terms: KnownTerms;
  readonly deliveries: Deliveries;
  readonly documents: Documents;
  readonly keptEpisodes: KeptEpisodes;
  readonly keptLogs: KeptLogs;
  readonly feed: PublicFeed;
  readonly keptPages: KeptPages;
  readonly boards: Boards;
  readonly inference: Inference;
  readonly presence: Presence;
  readonly rates: Rates;
  readonly rejections: Rejections;
  readonly standings: CurrentStandings;
  /** Whether the database has all that it once had. */
  readonly history: Pick<HistoryWatch, 'isOutdated' | 'isSound' | 'lost' | 'until'>;
  /** Whether this edge would take a write now, probe by probe. */
  readonly readiness: Readiness;
}
