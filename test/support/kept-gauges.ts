import type { GaugeName } from '../../infra/ports/metrics.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { silentTelemetry } from './silent-telemetry.ts';

/** Telemetry of which a test reads the gauges, as a scrape would. */
export function keptGauges() {
  const gauges = new Map<GaugeName, () => number | undefined>();
  const telemetry: Telemetry = {
    ...silentTelemetry,
    gauge: (name, read) => {
      gauges.set(name, read);
      return () => undefined;
    },
  };
  return { telemetry, gauge: (name: GaugeName) => gauges.get(name)?.() };
}
