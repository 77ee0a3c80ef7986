import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '../../../machines/fault.ts';

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
    throw new Fault('INVALID_TIMESTAMP', 'X-Timestamp must be whole Unix seconds.');
  }
  if (!uuidV4.test(nonce)) throw new Fault('INVALID_NONCE', 'X-Nonce must be a UUID v4.');
  if (signature === undefined) {
    throw new Fault('INVALID_SIGNATURE', 'X-Signature must be 0x and 128 hex digits.');
  }
  const nowSeconds = Math.floor(by.nowMs / 1000);
  if (Math.abs(nowSeconds - Number(timestamp)) > by.skewSeconds) {
    throw new Fault('TIMESTAMP_SKEW', `X-Timestamp is more than ${by.skewSeconds} s off.`, {
      server_time: nowSeconds,
    });
  }
  const publicKey = by.decodeHotkey(hotkey);
  if (publicKey === undefined) {
    throw new Fault('INVALID_HOTKEY', 'X-Hotkey must be an SS58 address with prefix 42.');
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

function required(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  if (typeof value === 'string' && value !== '') return value;
  const detail = 'Send Authorization: Bearer, or X-Hotkey, X-Timestamp, X-Nonce and X-Signature.';
  throw new Fault('MISSING_CREDENTIALS', detail);
}
