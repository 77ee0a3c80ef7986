import { startTraceServer } from '../../infra/traces/trace-server.ts';
import type { World } from './world.ts';

export interface KeptTraces extends AsyncDisposable {
  /** By which the service's processes send their spans here, and edges show them. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A person looks at what has just happened; the exporter's own pause is five seconds. */
const sendEveryMs = 1_000;
/** Enough to see each kind of request, and too few to be felt. */
const tracesPerSecond = 20;

/**
 * Keeps the last traces for the operator's page, where somebody may look at it: not where the world ends
 * by itself, nor under `--serve` unless asked, which is as fast and as large as its settings make it.
 * Who names a collector of his own has a better page.
 */
export async function keepTraces({ options, env }: World): Promise<KeptTraces> {
  const hasCollector = (env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') !== '';
  if (!options.traces || hasCollector) return { variables: {}, [Symbol.asyncDispose]: nothing };
  const server = await startTraceServer();
  return {
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      OTEL_BSP_SCHEDULE_DELAY: String(sendEveryMs),
      TRACES_URL: server.url,
      TRACES_PER_SECOND: String(tracesPerSecond),
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

async function nothing(): Promise<void> {
  // Nothing was started.
}
