/**
 * An answer whose status, bytes or headers the handler decides: pre-serialised reads, a page that is
 * not JSON. `body` undefined sends none.
 */
export class PreparedAnswer {
  readonly status: number;
  readonly body: string | Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The same bytes object is given again: what is worked out of it, such as its compression, is kept. */
  readonly isKept: boolean;
  /** Of the body, 64 lower-case hex digits, where it is known: it is not worked out again. */
  readonly sha256: string | undefined;

  constructor(answer: {
    readonly status?: number;
    readonly body?: string | Uint8Array;
    readonly headers?: Readonly<Record<string, string>>;
    readonly isKept?: boolean;
    readonly sha256?: string;
  }) {
    this.status = answer.status ?? 200;
    this.body = answer.body;
    this.headers = answer.headers ?? {};
    this.isKept = answer.isKept === true;
    this.sha256 = answer.sha256;
  }
}
