import type { Config } from '../../infra/config/config.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';

export interface EdgeOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** 0.0.0.0 unless told. */
  readonly host?: string;
  /** For test runs: an answer that its schema does not describe is a 500. */
  readonly checkResponses?: boolean;
  /** For test runs: a database without fsync is fit. */
  readonly allowUnsafeWrites?: boolean;
}
