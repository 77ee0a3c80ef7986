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

  constructor(answer: {
    readonly status?: number;
    readonly body?: string | Uint8Array;
    readonly headers?: Readonly<Record<string, string>>;
    readonly isKept?: boolean;
  }) {
    this.status = answer.status ?? 200;
    this.body = answer.body;
    this.headers = answer.headers ?? {};
    this.isKept = answer.isKept === true;
  }
}
