import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Method } from './methods.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';

/** A page of keys asked for 100 times is still far smaller. */
const requestBytesMax = 256 * 1024;
const batchMax = 100;

const callShape = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  method: z.string(),
  params: z.unknown().optional(),
});

/** JSON-RPC 2.0 over POST, single calls and batches; notifications are not served. */
export function createRpcServer(methods: ReadonlyMap<string, Method>): Server {
  return createServer((request, response) => {
    serve(methods, request, response).catch(() => response.destroy());
  });
}

async function serve(
  methods: ReadonlyMap<string, Method>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A web page may post plain text to any address of this machine, but no JSON without asking first.
  if (
    request.method !== 'POST' ||
    !request.headers['content-type']?.startsWith('application/json')
  ) {
    response.writeHead(405, { connection: 'close' }).end();
    return;
  }
  const body = await readBody(request);
  if (body === undefined) {
    response.writeHead(413, { connection: 'close' }).end();
    return;
  }
  const answer = JSON.stringify(await answerBody(methods, body));
  response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += chunk.length;
    if (sizeBytes > requestBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function answerBody(methods: ReadonlyMap<string, Method>, body: string): Promise<unknown> {
  let calls: unknown;
  try {
    calls = JSON.parse(body);
  } catch {
    return failure(null, new RpcError(rpcCodes.parseError, 'the body is no JSON'));
  }
  if (!Array.isArray(calls)) return await answerCall(methods, calls);
  if (calls.length === 0 || calls.length > batchMax) {
    return failure(null, new RpcError(rpcCodes.invalidRequest, `1 to ${batchMax} calls a batch`));
  }
  return await Promise.all(calls.map((call) => answerCall(methods, call)));
}

async function answerCall(methods: ReadonlyMap<string, Method>, call: unknown): Promise<unknown> {
  const parsed = callShape.safeParse(call);
  if (!parsed.success) {
    return failure(null, new RpcError(rpcCodes.invalidRequest, 'this is no JSON-RPC 2.0 call'));
  }
  const { id, method, params } = parsed.data;
  const run = methods.get(method);
  if (run === undefined) {
    return failure(id, new RpcError(rpcCodes.methodNotFound, 'Method not found'));
  }
  try {
    return { jsonrpc: '2.0', id, result: await run(params) };
  } catch (error) {
    return failure(id, error);
  }
}

function failure(id: string | number | null, error: unknown) {
  const { code, message } =
    error instanceof RpcError ? error : new RpcError(rpcCodes.internalError, 'Internal error');
  return { jsonrpc: '2.0', id, error: { code, message } };
}
