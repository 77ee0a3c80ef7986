import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { systemClock } from '../clock/system-clock.ts';
import type { LogLevel } from '../ports/log.ts';
import { createLogger } from '../telemetry/log.ts';
import { logLinesTo } from '../telemetry/log-lines.ts';
import { publicPath, publicTarget } from './public-target.ts';
import { isQuiet } from './quiet-requests.ts';
import { onShutdown } from './shutdown.ts';
import { SparingSampler } from './sparing-sampler.ts';
import { WatchedExporter } from './watched-exporter.ts';

export interface SdkOptions {
  readonly endpoint: string;
  readonly serviceName: string;
  readonly tracesPerSecond: number;
  readonly logLevel: LogLevel;
}

/** Records spans and sends them to a collector. */
export function startSdk(to: SdkOptions): void {
  const url = `${to.endpoint.replace(/\/$/, '')}/v1/traces`;
  const sdk = new NodeSDK({
    serviceName: to.serviceName,
    autoDetectResources: false,
    instrumentations: [httpInstrumentation(), expressInstrumentation()],
    sampler: new SparingSampler({ ...to, monotonicMs: systemClock.monotonicMs }),
    metricReaders: [],
    logRecordProcessors: [],
    traceExporter: watchedExporter(url, to),
  });
  sdk.start();
  onShutdown(() => sdk.shutdown());
}

/** Retries included. A stopping process waits this long for a collector that is down. */
const exportTimeoutMs = 2000;

function watchedExporter(url: string, { serviceName, logLevel }: SdkOptions): WatchedExporter {
  const { nowMs, monotonicMs } = systemClock;
  const log = createLogger({
    ...{ name: serviceName, level: logLevel, nowMs },
    write: logLinesTo(process.stderr),
  });
  // A key of the collector's may stand anywhere in its address.
  const { protocol, host, pathname } = new URL(url);
  const shownUrl = `${protocol}//${host}${publicPath(pathname)}`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs });
  return new WatchedExporter(exporter, { shownUrl, log, monotonicMs });
}

function httpInstrumentation(): HttpInstrumentation {
  return new HttpInstrumentation({
    ignoreIncomingRequestHook: isQuiet,
    // Our own polling of neighbours would make a trace for every poll.
    requireParentforOutgoingSpans: true,
    // What a client wrote into an address may be a secret that it meant for somewhere else.
    startIncomingSpanHook: ({ url = '' }) => {
      const { path, query } = publicTarget(url);
      return { 'url.path': path, ...(query !== '' && { 'url.query': query }) };
    },
    startOutgoingSpanHook: ({ protocol = 'http:', host, hostname, path }) => {
      const { path: shown } = publicTarget(path ?? '/');
      return { 'url.full': `${protocol}//${hostname ?? host ?? ''}${shown}` };
    },
  });
}

/** Only the names of routes are wanted of it: a span for each middleware says nothing. */
function expressInstrumentation(): ExpressInstrumentation {
  return new ExpressInstrumentation({
    ignoreLayersType: [
      ExpressLayerType.MIDDLEWARE,
      ExpressLayerType.ROUTER,
      ExpressLayerType.REQUEST_HANDLER,
    ],
  });
}
