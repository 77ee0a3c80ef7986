/**
 * An answer whose bytes or headers the handler decides: pre-serialised reads, `ETag` with 304,
 * `Cache-Control`, a page that is not JSON. `body` undefined sends none.
 */
export class PreparedAnswer {
  readonly status: number;
  readonly body: string | Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(answer: {
    readonly status?: number;
    readonly body?: string | Uint8Array;
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    this.status = answer.status ?? 200;
    this.body = answer.body;
    this.headers = answer.headers ?? {};
  }
}
