/** The headers that prove who calls; made afresh for every attempt. */
export type Credentials = () =>
  | Readonly<Record<string, string>>
  | Promise<Readonly<Record<string, string>>>;

/** A session, an operator or a run, by its token. */
export function bearer(token: string): Credentials {
  return () => ({ authorization: `Bearer ${token}` });
}

/** A hotkey by its signature over each request's own timestamp and nonce. */
export function signedBy(key: {
  /** SS58, prefix 42. */
  readonly hotkey: string;
  /** The sr25519 signature: 0x and 128 hex digits. */
  readonly sign: (text: string) => string;
  readonly nowMs: () => number;
  /** A UUID v4 that was never used before. */
  readonly newNonce: () => string;
}): Credentials {
  return () => {
    const timestamp = String(Math.floor(key.nowMs() / 1000));
    const nonce = key.newNonce();
    return {
      'x-hotkey': key.hotkey,
      'x-timestamp': timestamp,
      'x-nonce': nonce,
      'x-signature': key.sign(`${key.hotkey}:${timestamp}:${nonce}`),
    };
  };
}
