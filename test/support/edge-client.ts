import { createHash, randomUUID } from 'node:crypto';
import { keypairFromSeed } from '../../infra/crypto/sr25519-signer.ts';
import { encodeHotkey } from '../../infra/crypto/ss58.ts';

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Response>;

/** Sends JSON where a body is given as an object, and bytes or text as they are. */
export function caller(baseUrl: string): Call {
  return (method, path, { body, headers = {} } = {}) => {
    const isRaw =
      typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = isRaw ? body : JSON.stringify(body);
    if (body !== undefined && !isRaw) {
      init.headers = { 'content-type': 'application/json', ...headers };
    }
    return fetch(`${baseUrl}${path}`, init);
  };
}

/** A hotkey with its secret: signs each request, or opens a session. */
export class TestKey {
  readonly hotkey: string;
  readonly #pair: ReturnType<typeof keypairFromSeed>;
  readonly #call: Call;
  readonly #nowMs: () => number;

  /** `nowMs` is the service's time, where its clock is simulated. */
  constructor(seed: string, call: Call, nowMs: () => number = Date.now) {
    this.#pair = keypairFromSeed(createHash('sha256').update(seed).digest());
    this.hotkey = encodeHotkey(this.#pair.publicKey);
    this.#call = call;
    this.#nowMs = nowMs;
  }

  sign(text: string): string {
    return `0x${Buffer.from(this.#pair.sign(Buffer.from(text))).toString('hex')}`;
  }

  /** The four headers; `overrides` change what is sent, not what is signed. */
  headers(options: { readonly offsetSeconds?: number; readonly nonce?: string } = {}) {
    const timestamp = String(Math.floor(this.#nowMs() / 1000) + (options.offsetSeconds ?? 0));
    const nonce = options.nonce ?? randomUUID();
    return {
      'x-hotkey': this.hotkey,
      'x-timestamp': timestamp,
      'x-nonce': nonce,
      'x-signature': this.sign(`${this.hotkey}:${timestamp}:${nonce}`),
    };
  }

  /** With fresh signed headers. */
  request(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    return this.#call(method, path, {
      ...options,
      headers: { ...this.headers(), ...options.headers },
    });
  }

  get(path: string): Promise<Response> {
    return this.request('GET', path);
  }

  post(path: string, body?: unknown): Promise<Response> {
    return this.request('POST', path, body === undefined ? {} : { body });
  }

  async challenge(): Promise<string> {
    const body = { hotkey: this.hotkey };
    const answer = await this.#call('POST', '/v1/auth/challenge', { body });
    const { challenge } = (await answer.json()) as { challenge: string };
    return challenge;
  }

  exchange(challenge: string, signature: string = this.sign(challenge)): Promise<Response> {
    const body = { hotkey: this.hotkey, challenge, signature };
    return this.#call('POST', '/v1/auth/session', { body });
  }

  /** The token of a fresh session. */
  async openSession(): Promise<string> {
    const answer = await this.exchange(await this.challenge());
    const { session_token: token } = (await answer.json()) as { session_token: string };
    return token;
  }
}
