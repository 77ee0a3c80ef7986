import { writeSync } from 'node:fs';
import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { systemClock } from '../clock/system-clock.ts';
import { gauges } from '../ports/metrics.ts';
import { tallies } from '../telemetry/tallies.ts';
import { onShutdown } from './shutdown.ts';
import { tallyProducer } from './tally-producer.ts';

/** Shows what is counted at /metrics, to whoever reaches the address. */
export function startMetrics(at: {
  readonly host: string;
  readonly port: number;
  readonly serviceName: string;
}): void {
  const { host, port, serviceName } = at;
  const metricProducers = [tallyProducer(tallies)];
  const options = { host, port, withoutScopeInfo: true, metricProducers };
  const reader = new PrometheusExporter(options, (error) => {
    if (error) endUnwatched(`METRICS_PORT ${port} cannot be used on ${host}: ${error.message}`);
  });
  const resource = resourceFromAttributes({ 'service.name': serviceName });
  const provider = new MeterProvider({ resource, readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  // Before anything of the process can fail: one that ends at its start is seen to have started.
  const startedSeconds = systemClock.nowMs() / 1000;
  provider
    .getMeter('paddock')
    .createObservableGauge('paddock.process.started', gauges['paddock.process.started'])
    .addCallback((result) => result.observe(startedSeconds));
  onShutdown(() => provider.shutdown());
}

/** A process that cannot be watched as asked must not start; nothing of it has begun that could be lost. */
function endUnwatched(why: string): never {
  // Written out before the process ends, where standard error is a pipe too.
  writeSync(2, `could not start: ${why}\n`);
  process.exit(1);
}
