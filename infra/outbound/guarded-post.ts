import { type LookupAddress, type LookupAllOptions, type LookupOptions, lookup } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import type { Clock } from '../ports/clock.ts';
import type { OutboundMessage, OutboundOutcome, OutboundPost } from '../ports/outbound-post.ts';
import { isPublicAddress } from './public-address.ts';

export interface GuardedPostOptions {
  /** Hosts whose addresses may be private; an IPv6 address with brackets, as in a URL, or without. */
  readonly privateHosts: readonly string[];
  readonly clock: Clock;
  /** Finds the addresses of a name; the host's own way unless told. */
  readonly resolve?: Resolve;
}

export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Nobody reads the answer; a receiver that sends more is not waited for. */
const answerBytesMax = 65_536;

/**
 * Posts to the open internet, and to private addresses only where the host is allowed by name. The
 * address that is connected to is the one that was checked, so a name that changes its address
 * between the two gains nothing.
 */
export function createGuardedPost({
  privateHosts,
  clock,
  resolve = lookup,
}: GuardedPostOptions): OutboundPost {
  const allowed = new Set(privateHosts.map(plainHost));
  return {
    post: async (message) => {
      const url = new URL(message.url);
      const host = bare(url.hostname);
      const isFree = allowed.has(host);
      // A literal address is connected to without a look-up.
      if (!isFree && isIP(host) !== 0 && !isPublicAddress(host)) return refused;
      return await within(message, clock, (signal) =>
        send(url, message, { signal, lookup: isFree ? undefined : publicLookup(resolve) }),
      );
    },
  };
}

const bare = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/** In the spelling that a URL's parser gives it, of which IPv6 has one for each address. */
function plainHost(listed: string): string {
  const host = bare(listed).toLowerCase();
  if (!isIPv6(host)) return host;
  return bare(URL.parse(`http://[${host}]`)?.hostname ?? host);
}

const refused: OutboundOutcome = {
  kind: 'failed',
  reason: 'the address is not public: if its host may be told, list it in WEBHOOK_PRIVATE_HOSTS',
};

class NotPublic extends Error {
  override name = 'NotPublic';
}

/** Refuses a name as soon as one of its addresses is private: which one is tried is up to chance. */
const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...(options as LookupOptions), all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const addresses: readonly LookupAddress[] = found;
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new NotPublic('not public'), '', 0);
      }
      if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };

async function within(
  { timeoutMs, signal }: OutboundMessage,
  clock: Clock,
  run: (signal: AbortSignal) => Promise<OutboundOutcome>,
): Promise<OutboundOutcome> {
  const late = new AbortController();
  const done = new AbortController();
  void clock.sleep(timeoutMs, done.signal).then(() => late.abort());
  try {
    return await run(AbortSignal.any([late.signal, signal]));
  } catch (error) {
    if (error instanceof NotPublic) return refused;
    if (signal.aborted) return { kind: 'failed', reason: 'the sender was stopped' };
    if (late.signal.aborted) {
      return { kind: 'failed', reason: `no answer within ${timeoutMs / 1000} s` };
    }
    return { kind: 'failed', reason: `the connection failed: ${codeOf(error)}` };
  } finally {
    done.abort();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

function send(
  url: URL,
  { headers, body }: OutboundMessage,
  how: { readonly signal: AbortSignal; readonly lookup: LookupFunction | undefined },
): Promise<OutboundOutcome> {
  const { signal, lookup } = how;
  return new Promise((settle, fail) => {
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const bytes = Buffer.from(body);
    const sent = open(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': bytes.length },
      // A connection of its own: one that is kept would skip the check of the address.
      agent: false,
      signal,
      ...(lookup !== undefined && { lookup }),
    });
    sent.once('response', (answer) => settle(answered(sent, answer)));
    // Who speaks another protocol from here on has not taken the message.
    sent.once('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      settle({ kind: 'answered', status: statusCode });
    });
    sent.once('error', fail);
    // The last that is heard of each request, so that none is waited for without end.
    sent.once('close', () => fail(new Error('closed without an answer')));
    sent.end(bytes);
  });
}

/** The status counts, whatever becomes of the rest. */
function answered(sent: ClientRequest, answer: IncomingMessage): Promise<OutboundOutcome> {
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > answerBytesMax) sent.destroy();
  });
  answer.on('error', () => undefined);
  return new Promise((settle) => {
    answer.once('close', () => {
      settle({ kind: 'answered', status: answer.statusCode ?? 0 });
    });
  });
}
