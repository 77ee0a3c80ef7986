/** Sends to an address that an operator named, somewhere in the world. */
export interface OutboundPost {
  /** Never rejects, and follows no redirect. */
  post(message: OutboundMessage): Promise<OutboundOutcome>;
}

export interface OutboundMessage {
  /** `http` or `https`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For everything: finding the host, connecting, sending and the answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type OutboundOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  /** `reason` may be shown to operators. */
  | { readonly kind: 'failed'; readonly reason: string };
