/**
 * An answer that goes out as it comes into being: events, the words of a model. It ends when
 * `chunks` ends, or is cut off when the client is gone or the edge stops; `chunks` is then told by
 * its iterator's `return`. Nothing is taken from `chunks` while the client does not read.
 */
export class StreamedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<string | Uint8Array>;
  /** Whether a stopping edge ends it at once: what the client takes up again elsewhere. */
  readonly isResumable: boolean;

  constructor(answer: {
    readonly status?: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly chunks: AsyncIterable<string | Uint8Array>;
    readonly isResumable?: boolean;
  }) {
    this.status = answer.status ?? 200;
    this.headers = answer.headers;
    this.chunks = answer.chunks;
    this.isResumable = answer.isResumable ?? false;
  }
}
