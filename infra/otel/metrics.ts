import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { onShutdown } from './shutdown.ts';

/** Shows what is counted at /metrics on loopback. */
export function startMetrics(at: { readonly port: number; readonly serviceName: string }): void {
  const { port, serviceName } = at;
  const options = { host: '127.0.0.1', port, withoutScopeInfo: true };
  const reader = new PrometheusExporter(options, (error) => {
    // Unhandled on purpose: a process that cannot be watched as asked must not start.
    if (error) throw new Error(`METRICS_PORT ${port} cannot be used`, { cause: error });
  });
  const resource = resourceFromAttributes({ 'service.name': serviceName });
  const provider = new MeterProvider({ resource, readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  onShutdown(() => provider.shutdown());
}
