import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '../../clock/system-clock.ts';
import { randomHex } from '../../ids/ids.ts';
import { closeAtOnce, listenOnLoopback, loopback } from '../../local/loopback.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/log.ts';
import { authorize } from './authorize.ts';
import { BlobFiles } from './blob-files.ts';
import type { S3Response } from './exchange.ts';
import { perform } from './operations.ts';
import { S3Error } from './s3-error.ts';
import { parseRequest } from './s3-request.ts';
import { requireSupported } from './supported-features.ts';
import { xmlHeader } from './xml.ts';

export interface EmbeddedObjectStoreOptions {
  /** Owned by one server at a time; made when absent. */
  readonly dataDir: string;
  /** On 127.0.0.1; a free one unless told. */
  readonly port?: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Off only where a crash of the machine may lose objects: in tests. */
  readonly fsync?: boolean;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Only in tests: compares no checksum of a presigned query, as some stores do. */
  readonly ignoresQueryChecksums?: boolean;
}

export interface EmbeddedObjectStore {
  readonly endpoint: string;
  readonly port: number;
  /** May be called twice. Requests that are under way are cut off and leave nothing behind. */
  stop(): Promise<void>;
}

/**
 * A small object store that speaks S3's protocol, for developers and tests: the same client code
 * runs against it and against a real one. Everything is refused unless it is signed.
 */
export async function startEmbeddedObjectStore(
  options: EmbeddedObjectStoreOptions,
): Promise<EmbeddedObjectStore> {
  const files = await BlobFiles.open(options.dataDir, options.fsync ?? true);
  const underWay = new Set<Promise<void>>();
  const onRequest = (message: IncomingMessage, response: ServerResponse, waiting: boolean) => {
    const answered = answer({ ...options, files }, { message, response, waiting });
    underWay.add(answered);
    void answered.finally(() => underWay.delete(answered));
  };
  const server = createServer(limits, (message, response) => onRequest(message, response, false));
  server.on('checkContinue', (message, response) => onRequest(message, response, true));
  server.maxHeadersCount = 64;
  server.maxConnections = 256;
  const port = await listenOnLoopback(server, options.port);
  return {
    endpoint: `http://${loopback}:${port}`,
    port,
    stop: async () => {
      await closeAtOnce(server);
      await Promise.all(underWay);
    },
  };
}

const limits = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  // S3's largest PUT over a slow line; presigned URLs live as long.
  requestTimeout: 900_000,
  // Above the idle time of common clients, so that they never write into a closing connection.
  keepAliveTimeout: 65_000,
};

interface Context extends EmbeddedObjectStoreOptions {
  readonly files: BlobFiles;
}

interface Incoming {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** The client sends its body only after `100 Continue`. */
  readonly waiting: boolean;
}

/** Never throws: an answer that cannot be sent is a connection that is gone. */
async function answer(context: Context, incoming: Incoming): Promise<void> {
  const { message, response } = incoming;
  const requestId = randomHex(8);
  try {
    const result = await handle(context, incoming).catch((error: unknown) => {
      if (message.socket.destroyed) throw error;
      return refusal(context, error, { requestId, resource: message.url ?? '' });
    });
    // Bytes that a refused client never sent must not be taken for its next request.
    if (incoming.waiting && !message.readableDidRead) response.setHeader('connection', 'close');
    response.setHeader('x-amz-request-id', requestId);
    // Whoever holds a signed address may read from any page: the signature is the permission.
    if (message.method === 'GET') response.setHeader('access-control-allow-origin', '*');
    await send(message, response, result);
  } catch {
    response.destroy();
  }
}

async function handle(context: Context, incoming: Incoming): Promise<S3Response> {
  const clock = context.clock ?? systemClock;
  const request = parseRequest(incoming.message);
  const payloadHash = authorize(request, context, clock.nowMs());
  requireSupported(request);
  const body = () => {
    if (incoming.waiting) incoming.response.writeContinue();
    // A refusal in the middle of a body must still reach the client: no end to the connection yet.
    return incoming.message.iterator({ destroyOnReturn: false });
  };
  const { files, ignoresQueryChecksums = false } = context;
  return await perform({ request, payloadHash, body, files, clock, ignoresQueryChecksums });
}

function refusal(
  context: Context,
  error: unknown,
  place: { readonly requestId: string; readonly resource: string },
): S3Response {
  if (!(error instanceof S3Error)) {
    context.logger?.error('the embedded object store failed', { error, ...place });
  }
  const shown =
    error instanceof S3Error ? error : new S3Error('InternalError', 'Something went wrong here.');
  const path = place.resource.split('?')[0] ?? '';
  return {
    status: shown.status,
    headers: { 'content-type': 'application/xml' },
    body: xmlHeader + shown.toXml(path, place.requestId),
  };
}

async function send(
  message: IncomingMessage,
  response: ServerResponse,
  { status, headers = {}, body }: S3Response,
): Promise<void> {
  if (body === undefined || typeof body === 'string') {
    response.writeHead(status, {
      ...(status !== 204 && { 'content-length': Buffer.byteLength(body ?? '') }),
      ...headers,
    });
    response.end(message.method === 'HEAD' ? undefined : body);
    // What is left of a refused body is read and dropped, or the client would not see the answer.
    message.resume();
    return;
  }
  try {
    response.writeHead(status, headers);
    await pipeline(body, response);
  } finally {
    // A client that left before the first byte is no pipe's end: nobody else would close the file.
    body.destroy();
  }
}
