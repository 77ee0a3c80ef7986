import type { Logger } from '../../infra/ports/log.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';

/** Telemetry that nobody reads, for tests and simulations. */
export const silentTelemetry: Telemetry = {
  span: (_name, _options, run) => run({ set: nothing }),
  inTrace: (_headers, run) => run(),
  traceHeaders: () => ({}),
  traceId: () => undefined,
  nameRoute: nothing,
  count: nothing,
  record: nothing,
  gauge: () => nothing,
};

/** A logger that says nothing. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  with: () => silentLogger,
};

function nothing(): void {
  // Nobody listens.
}
