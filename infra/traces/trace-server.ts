import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { parsedJson } from '../../machines/parsed-json.ts';
import { randomHex } from '../ids/ids.ts';
import { closeAtOnce, listenOnLoopback, loopback } from '../local/loopback.ts';
import { readOtlpSpans } from './otlp-spans.ts';
import { traceSummary, wholeTrace } from './trace-answers.ts';
import { traceOutcomes } from './trace-outcome.ts';
import { TraceStore } from './trace-store.ts';

export interface TraceServer {
  /** What processes export to and what edges read from; it holds the secret that both need. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The exporter sends 512 spans at once, of a kilobyte or two each. */
const bodyBytesMax = 4 * 1024 * 1024;
/** Of one that is refused so much is read and thrown away, for who is still sending hears no answer. */
const readBytesMax = 4 * bodyBytesMax;

/** Half a minute of a busy world, or an afternoon of a quiet one. */
const bounds = { tracesMax: 500, bytesMax: 16 * 1024 * 1024, spansPerTraceMax: 400 };

/**
 * Takes spans by OTLP over HTTP and shows the last traces, for a service without a collector: the world
 * of `npm start`. In memory, so that they are gone with the process. Listens on loopback, below a path
 * that is told to nobody but the processes of the service.
 */
export async function startTraceServer(): Promise<TraceServer> {
  const secret = Buffer.from(`/${randomHex(16)}`);
  const store = new TraceStore(bounds);
  const server = createServer((request, response) => {
    answer(store, request, below(secret, request.url ?? '')).then(
      ({ status, body }) => send(response, status, body),
      () => response.destroy(),
    );
  });
  server.maxConnections = 256;
  const port = await listenOnLoopback(server);
  return {
    url: `http://${loopback}:${port}${secret.toString()}`,
    stop: () => closeAtOnce(server),
  };
}

/** The rest of the target; undefined where it does not begin with the secret. */
function below(secret: Buffer, target: string): string | undefined {
  const given = Buffer.from(target);
  const start = given.subarray(0, secret.length);
  if (start.length !== secret.length || !timingSafeEqual(start, secret)) return undefined;
  return given.subarray(secret.length).toString();
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const nothing: Answer = { status: 404, body: { detail: 'There is nothing here.' } };

async function answer(
  store: TraceStore,
  request: IncomingMessage,
  target: string | undefined,
): Promise<Answer> {
  if (target === undefined) return nothing;
  const url = new URL(target, `http://${loopback}`);
  if (request.method === 'POST' && url.pathname === '/v1/traces') return await take(store, request);
  if (request.method !== 'GET') return nothing;
  if (url.pathname === '/traces') return list(store, url.searchParams);
  const [, traceId] = /^\/traces\/([0-9a-f]{32})$/.exec(url.pathname) ?? [];
  const trace = traceId === undefined ? undefined : store.find(traceId);
  return trace === undefined ? nothing : { status: 200, body: wholeTrace(trace) };
}

async function take(store: TraceStore, request: IncomingMessage): Promise<Answer> {
  const bytes = await bodyOf(request);
  if (bytes === undefined) return { status: 413, body: { detail: 'That is too much at once.' } };
  const spans = readOtlpSpans(parsedJson(bytes.toString()));
  if (spans === undefined) return { status: 400, body: { detail: 'That is no OTLP in JSON.' } };
  store.add(spans);
  return { status: 200, body: {} };
}

const search = z.object({
  route: z.string().optional(),
  outcome: z.enum(traceOutcomes).optional(),
  text: z.string().optional(),
  order: z.enum(['newest', 'slowest']).default('newest'),
  limit: z.coerce.number().int().min(1).max(bounds.tracesMax).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});

function list(store: TraceStore, query: URLSearchParams): Answer {
  const asked = search.safeParse(Object.fromEntries(query));
  if (!asked.success) return { status: 400, body: { detail: z.prettifyError(asked.error) } };
  const { total, traces } = store.search(asked.data);
  return { status: 200, body: { total, traces: traces.map(traceSummary) } };
}

/**
 * Undefined when it is too large: an exporter that hears 413 gives it up, and tries again after a
 * connection that broke. Throws beyond what is thrown away: then the connection ends without an answer.
 */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > readBytesMax) throw new Error('The body does not end.');
    if (size <= bodyBytesMax) chunks.push(bytes);
    else chunks.length = 0;
  }
  return size > bodyBytesMax ? undefined : Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
  });
  response.end(text);
}
