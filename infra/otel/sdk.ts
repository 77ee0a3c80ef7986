import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { systemClock } from '../clock/system-clock.ts';
import { publicTarget } from './public-target.ts';
import { isQuiet } from './quiet-requests.ts';
import { onShutdown } from './shutdown.ts';
import { SparingSampler } from './sparing-sampler.ts';

export interface SdkOptions {
  readonly endpoint: string;
  readonly serviceName: string;
  readonly tracesPerSecond: number;
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
    traceExporter: new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs }),
  });
  sdk.start();
  onShutdown(() => sdk.shutdown());
}

/** Retries included. A stopping process waits this long for a collector that is down. */
const exportTimeoutMs = 2000;

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
