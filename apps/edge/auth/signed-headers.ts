import type { IncomingHttpHeaders } from 'node:http';
import { refusal } from '../../../machines/refusal.ts';

/** The four headers, each in its only accepted form; nothing is proven yet. */
export interface SignedHeaders {
  readonly hotkey: string;
  readonly publicKey: Uint8Array;
  readonly publicKeyHex: string;
  /** The same nonce in another case is the same nonce. */
  readonly nonce: string;
  readonly signature: Uint8Array;
  /** The exact bytes that were signed. */
  readonly message: Uint8Array;
}

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const unixSeconds = /^(0|[1-9][0-9]{0,11})$/;
const signatureHex = /^0x[0-9a-fA-F]{128}$/;

export function readSignature(text: string): Uint8Array | undefined {
  return signatureHex.test(text) ? Buffer.from(text.slice(2), 'hex') : undefined;
}

/** Reads the headers in the order cheap before expensive, and throws the 401 of the first fault. */
export function readSignedHeaders(
  headers: IncomingHttpHeaders,
  by: {
    readonly nowMs: number;
    readonly skewSeconds: number;
    readonly decodeHotkey: (text: string) => Uint8Array | undefined;
  },
): SignedHeaders {
  const hotkey = required(headers, 'x-hotkey');
  const timestamp = required(headers, 'x-timestamp');
  const nonce = required(headers, 'x-nonce');
  const signature = readSignature(required(headers, 'x-signature'));
  if (!unixSeconds.test(timestamp)) {
    throw refusal('INVALID_TIMESTAMP');
  }
  if (!uuidV4.test(nonce)) throw refusal('INVALID_NONCE');
  if (signature === undefined) {
    throw refusal('INVALID_SIGNATURE', {
      says: 'X-Signature must be 0x and 128 hex digits.',
      next: 'Send the 64 bytes of an sr25519 signature in this form.',
    });
  }
  const nowSeconds = Math.floor(by.nowMs / 1000);
  const aheadSeconds = Number(timestamp) - nowSeconds;
  if (Math.abs(aheadSeconds) > by.skewSeconds) {
    throw refusal('TIMESTAMP_SKEW', {
      says: skewOf(aheadSeconds, by.skewSeconds),
      extras: {
        server_time: nowSeconds,
      },
    });
  }
  const publicKey = by.decodeHotkey(hotkey);
  if (publicKey === undefined) {
    throw refusal('INVALID_HOTKEY');
  }
  return {
    hotkey,
    publicKey,
    publicKeyHex: Buffer.from(publicKey).toString('hex'),
    nonce: nonce.toLowerCase(),
    signature,
    message: Buffer.from(`${hotkey}:${timestamp}:${nonce}`),
  };
}

/** Without the first of them nothing was signed, and the words of the code are right. */
const missing = {
  'x-hotkey': {},
  'x-timestamp': { says: 'X-Hotkey came without X-Timestamp.' },
  'x-nonce': { says: 'X-Hotkey came without X-Nonce.' },
  'x-signature': { says: 'X-Hotkey came without X-Signature.' },
};

function skewOf(aheadSeconds: number, skewSeconds: number): string {
  const off = `${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'}`;
  return `X-Timestamp is ${off} server_time, and may be ${skewSeconds} s off.`;
}

function required(headers: IncomingHttpHeaders, name: keyof typeof missing): string {
  const value = headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw refusal('MISSING_CREDENTIALS', missing[name]);
}
