/**
 * Loaded with `node --import` before a process's main: imports are instrumented as they happen, so
 * this must come first, and what it needs of the environment it must read itself. Values that make no
 * sense are left for the configuration to refuse, a moment later and with everything else.
 *
 * The SDK is loaded only where spans are collected: a process starts in half of the time without it
 * (infra/decisions/0047-the-service-away-for-a-moment.md). Every request has a trace id all the same,
 * which is also its X-Request-Id.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();

// This runs before main, which reads the environment for everyone else.
const { env } = process;
const {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = '',
  METRICS_HOST,
  METRICS_PORT,
  PROCESS_NAME,
} = env;
const tracesPerSecond = Number(env['TRACES_PER_SECOND'] || 100);
const serviceName = PROCESS_NAME || 'paddock';

// No static imports: those run before the lines above.
if (URL.canParse(endpoint)) {
  // The synchronous hook in this thread, because the documented asynchronous one costs 1.2 s of start.
  const { register } = await import('import-in-the-middle/register-hooks.mjs');
  register({ include: ['node:http', 'node:https', 'express'] });
  const { startSdk } = await import('./sdk.ts');
  startSdk({ endpoint, serviceName, tracesPerSecond });
} else {
  const { startTraceIds } = await import('./trace-ids.ts');
  startTraceIds();
}

const port = Number(METRICS_PORT ?? 0);
if (Number.isInteger(port) && port >= 1 && port <= 65_535) {
  const { startMetrics } = await import('./metrics.ts');
  startMetrics({ host: METRICS_HOST || '127.0.0.1', port, serviceName });
}
