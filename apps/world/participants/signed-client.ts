import { z } from 'zod';
import { encodeSignature } from '../../../infra/crypto/hex.ts';
import type { Keypair } from '../../../infra/crypto/sr25519-signer.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';
import { expectOk } from './refusal.ts';
import { untilAnswered } from './retry.ts';

export interface ClientOptions {
  /** Every attempt goes to the next one. */
  readonly baseUrls: readonly string[];
  readonly keypair: Keypair;
  /** Four headers signed afresh for each attempt, or a session opened at first need. */
  readonly scheme: 'signed-headers' | 'session';
  readonly clock: Clock;
  /** How often and when an unanswered request is sent again; `untilAnswered` unless told. */
  readonly repeat?: Repeat;
}

/** Each call of `ask` is one attempt, signed afresh and sent to the next edge, which it may be told. */
export type Repeat = (
  ask: (onUrl?: (url: string) => void) => Promise<HttpAnswer>,
  about: { readonly method: string; readonly path: string; readonly content: Content },
) => Promise<HttpAnswer>;

export interface Content {
  readonly json?: unknown;
  readonly form?: FormData;
  readonly idempotencyKey?: string;
}

export interface Reply {
  readonly status: number;
  /** Parsed JSON; null where there was none. */
  readonly body: unknown;
  /** The same as it was sent. */
  readonly text: string;
}

/** What one hotkey says to the service, authenticated and repeated until it is answered. */
export interface SignedClient {
  readonly hotkey: string;
  request(method: string, path: string, content?: Content): Promise<Reply>;
}

export function signedClient(options: ClientOptions): SignedClient {
  const { baseUrls, keypair, scheme, clock } = options;
  const repeat: Repeat = options.repeat ?? ((ask) => untilAnswered(clock, ask));
  const hotkey = encodeHotkey(keypair.publicKey);
  const sign = (text: string) => encodeSignature(keypair.sign(Buffer.from(text)));
  // Starting points differ between hotkeys, so that few requests already spread.
  let turn = keypair.publicKey[0] ?? 0;
  const nextUrl = (path: string) => `${baseUrls[turn++ % baseUrls.length]}${path}`;
  // Where the service's clock is simulated, as far as it has told.
  let aheadMs = 0;
  const signed = () => signedHeaders({ hotkey, sign, nowMs: () => clock.nowMs() + aheadMs });
  const session = openedSession({ hotkey, sign, nextUrl });
  const credentials = scheme === 'session' ? session.headers : signed;

  async function request(method: string, path: string, content: Content = {}): Promise<Reply> {
    const { headers, body } = await encode(content);
    const ask = async (onUrl?: (url: string) => void) => {
      const all = { ...headers, ...(await credentials()) };
      const url = nextUrl(path);
      onUrl?.(url);
      return await exchange({ method, url, headers: all, body });
    };
    const about = { method, path, content };
    const reply = toReply(await repeat(ask, about));
    const serverSeconds = serverTimeOf(reply);
    if (reply.status !== 401 || (scheme !== 'session' && serverSeconds === undefined)) return reply;
    // The session has run out or was revoked, or our clock is off: once more with what is true.
    session.forget();
    if (serverSeconds !== undefined) aheadMs = serverSeconds * 1000 - clock.nowMs();
    return toReply(await repeat(ask, about));
  }

  return { hotkey, request };
}

interface Signer {
  readonly hotkey: string;
  readonly sign: (text: string) => string;
}

async function signedHeaders({
  hotkey,
  sign,
  nowMs,
}: Signer & { readonly nowMs: () => number }): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs() / 1000));
  const nonce = randomId();
  return {
    'x-hotkey': hotkey,
    'x-timestamp': timestamp,
    'x-nonce': nonce,
    'x-signature': sign(`${hotkey}:${timestamp}:${nonce}`),
  };
}

/** A session for all requests, opened at the first one that needs it. */
function openedSession(by: Signer & { readonly nextUrl: (path: string) => string }) {
  let token: Promise<string> | undefined;
  return {
    async headers(): Promise<Record<string, string>> {
      token ??= openSession(by);
      try {
        return { authorization: `Bearer ${await token}` };
      } catch (error) {
        token = undefined;
        throw error;
      }
    },
    forget() {
      token = undefined;
    },
  };
}

const skewed = z.object({ error_code: z.literal('TIMESTAMP_SKEW'), server_time: z.number() });

/** What a refusal says of the service's time. */
function serverTimeOf({ body }: Reply): number | undefined {
  return skewed.safeParse(body).data?.server_time;
}

const challengeAnswer = z.object({ challenge: z.string() });
const sessionAnswer = z.object({ session_token: z.string() });

async function openSession(
  by: Signer & { readonly nextUrl: (path: string) => string },
): Promise<string> {
  const { hotkey } = by;
  const post = async (path: string, json: unknown) => {
    const { headers, body } = await encode({ json });
    const answer = await exchange({ method: 'POST', url: by.nextUrl(path), headers, body });
    // Not for the caller to see: whoever repeats the request repeats this as well.
    if (answer.status >= 500) throw new Error(`${path} was answered ${answer.status}`);
    return expectOk(path, toReply(answer));
  };
  const { challenge } = challengeAnswer.parse(await post('/v1/auth/challenge', { hotkey }));
  const exchanged = { hotkey, challenge, signature: by.sign(challenge) };
  return sessionAnswer.parse(await post('/v1/auth/session', exchanged)).session_token;
}

async function encode({ json, form, idempotencyKey }: Content) {
  const headers: Record<string, string> = {};
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  if (form !== undefined) {
    // Response writes multipart with a boundary of its own.
    const encoded = new Response(form);
    headers['content-type'] = encoded.headers.get('content-type') ?? '';
    return { headers, body: await encoded.bytes() };
  }
  if (json === undefined) return { headers, body: '' };
  headers['content-type'] = 'application/json';
  return { headers, body: JSON.stringify(json) };
}

function toReply({ status, body }: HttpAnswer): Reply {
  const text = body.toString();
  return { status, body: text === '' ? null : JSON.parse(text), text };
}
