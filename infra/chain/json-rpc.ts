import { z } from 'zod';
import { ChainUnavailable } from '../ports/chain.ts';
import type { Clock } from '../ports/clock.ts';
import { withDeadline } from './deadline.ts';
import { nodeAddress } from './node-address.ts';

export interface RpcNode {
  /**
   * `ws` and `wss` stand for `http` and `https`: Substrate nodes answer both on one port. A user and a
   * password in it are sent as Basic.
   */
  readonly url: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly fetch?: typeof fetch;
}

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Undefined is its result where the node refuses it. */
  readonly isOptional?: boolean;
}

/** The node answered, and what it said is no. */
export class RpcRefused extends ChainUnavailable {
  override name = 'RpcRefused';
  readonly code: number;

  constructor(method: string, error: { readonly code: number; readonly message: string }) {
    super(`the node refuses ${method}: ${error.message} (${error.code})`);
    this.code = error.code;
  }
}

/** The answer is longer than the node may give, or than is read of it. */
export class AnswerTooLong extends ChainUnavailable {
  override name = 'AnswerTooLong';
}

/**
 * Permits of a full subnet (65,536 seats in hex) are 131 KB, the largest thing with a bound that we ask
 * for. The hotkeys of one coldkey have none: 16,000 of them are longer than this.
 */
const answerBytesMax = 1024 * 1024;

/** By which a Substrate node says that one answer, or all of a batch, is longer than it may give. */
const tooLongCodes: ReadonlySet<number> = new Set([-32_008, -32_011]);

const rpcError = z.object({ code: z.int(), message: z.string() });
const answers = z.array(
  z.object({ id: z.int(), result: z.unknown().optional(), error: rpcError.optional() }),
);
const refusedBatch = z.object({ error: rpcError });

/** The results of all calls, in their order, by one request. Every failure is ChainUnavailable. */
export async function callNode(
  node: RpcNode,
  calls: readonly RpcCall[],
): Promise<readonly unknown[]> {
  const byId = new Map((await post(node, calls)).map((answer) => [answer.id, answer]));
  return calls.map(({ method, isOptional = false }, id) => {
    const answer = byId.get(id);
    if (answer === undefined) throw new ChainUnavailable(`the node does not answer ${method}`);
    if (answer.error !== undefined && isOptional) return undefined;
    requireShort(answer.error);
    if (answer.error !== undefined) throw new RpcRefused(method, answer.error);
    return answer.result;
  });
}

async function post(node: RpcNode, calls: readonly RpcCall[]): Promise<z.infer<typeof answers>> {
  const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  try {
    const text = await withDeadline(node, (signal) => exchange(node, JSON.stringify(body), signal));
    const answer: unknown = JSON.parse(text);
    requireShort(refusedBatch.safeParse(answer).data?.error);
    return answers.parse(answer);
  } catch (error) {
    if (error instanceof AnswerTooLong) throw error;
    // The URL stays out of the text: it may hold a provider's key.
    throw new ChainUnavailable('the chain node gives no usable answer', { cause: error });
  }
}

function requireShort(error: z.infer<typeof rpcError> | undefined): void {
  if (error !== undefined && tooLongCodes.has(error.code)) {
    throw new AnswerTooLong(`the node says: ${error.message} (${error.code})`);
  }
}

async function exchange(node: RpcNode, body: string, signal: AbortSignal): Promise<string> {
  const { url, headers } = nodeAddress(node.url);
  const response = await (node.fetch ?? fetch)(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal,
    // An answer from elsewhere is not this node's.
    redirect: 'error',
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`HTTP status ${response.status}`);
  }
  return await readBounded(response);
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // Leaving the loop early cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > answerBytesMax) {
      throw new AnswerTooLong(`the chain node's answer is over ${answerBytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
