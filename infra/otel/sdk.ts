import type { IncomingMessage } from 'node:http';
import { type Sampler, SamplingDecision } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { NodeSDK, type NodeSDKConfiguration } from '@opentelemetry/sdk-node';
import { publicTarget } from './public-target.ts';
import { traceRequests } from './request-traces.ts';
import { setShutdown } from './shutdown.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Starts tracing and metrics. Without OTEL_EXPORTER_OTLP_ENDPOINT no span is recorded, but every
 * request still has a trace id, which is also its X-Request-Id. Values that make no sense are left
 * for the configuration to refuse, a moment later and with everything else.
 */
export function startSdk(env: Environment): void {
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  const isHeard = URL.canParse(endpoint);
  if (!isHeard) traceRequests(isQuiet);
  const sdk = new NodeSDK({
    serviceName: env['PROCESS_NAME'] || 'paddock',
    autoDetectResources: false,
    instrumentations: [
      httpInstrumentation(isHeard),
      ...(isHeard ? [expressInstrumentation()] : []),
    ],
    metricReaders: metricReaders(Number(env['METRICS_PORT'] ?? 0)),
    logRecordProcessors: [],
    ...(isHeard ? tracing(endpoint) : { sampler: idsOnly, spanProcessors: [unheard] }),
  });
  sdk.start();
  setShutdown(() => sdk.shutdown());
}

/** Retries included. A stopping process waits this long for a collector that is down. */
const exportTimeoutMs = 2000;

function tracing(endpoint: string): Pick<NodeSDKConfiguration, 'traceExporter'> {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  return { traceExporter: new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs }) };
}

/** Trace ids are given out and passed on; spans are neither kept nor timed. */
const idsOnly: Sampler = {
  shouldSample: () => ({ decision: SamplingDecision.NOT_RECORD }),
  toString: () => 'idsOnly',
};

/** The SDK gives out no ids at all unless somebody listens. */
const unheard: NonNullable<NodeSDKConfiguration['spanProcessors']>[number] = {
  onStart: () => undefined,
  onEnd: () => undefined,
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};

function metricReaders(port: number): PrometheusExporter[] {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return [];
  const options = { host: '127.0.0.1', port, withoutScopeInfo: true };
  return [
    new PrometheusExporter(options, (error) => {
      // Unhandled on purpose: a process that cannot be watched as asked must not start.
      if (error) throw new Error(`METRICS_PORT ${port} cannot be used`, { cause: error });
    }),
  ];
}

const quietPaths = new Set(['/health', '/health/deep', '/metrics']);

const isQuiet = ({ url = '' }: IncomingMessage) => quietPaths.has(url.split('?')[0] ?? '');

function httpInstrumentation(isHeard: boolean): HttpInstrumentation {
  return new HttpInstrumentation({
    // Else `traceRequests` does what is left to do.
    disableIncomingRequestInstrumentation: !isHeard,
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
