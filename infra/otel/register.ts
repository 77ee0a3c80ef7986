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
/** As main reads it: blanks around a value are none of it, and a blank one counts as not set. */
const given = (key: string) => env[key]?.trim() ?? '';
const endpoint = given('OTEL_EXPORTER_OTLP_ENDPOINT');
const tracesPerSecond = Number(given('TRACES_PER_SECOND') || 100);
const serviceName = given('PROCESS_NAME') || 'paddock';
const levels = ['debug', 'info', 'warn', 'error'] as const;
const logLevel = levels.find((level) => level === given('LOG_LEVEL')) ?? 'info';

// No static imports: those run before the lines above.
if (URL.canParse(endpoint)) {
  // The synchronous hook in this thread, because the documented asynchronous one costs 1.2 s of start.
  const { register } = await import('import-in-the-middle/register-hooks.mjs');
  register({ include: ['node:http', 'node:https', 'express'] });
  const { startSdk } = await import('./sdk.ts');
  startSdk({ endpoint, serviceName, tracesPerSecond, logLevel });
} else {
  const { startTraceIds } = await import('./trace-ids.ts');
  startTraceIds();
}

const port = Number(given('METRICS_PORT'));
if (Number.isInteger(port) && port >= 1 && port <= 65_535) {
  const { startMetrics } = await import('./metrics.ts');
  startMetrics({ host: given('METRICS_HOST') || '127.0.0.1', port, serviceName });
}
