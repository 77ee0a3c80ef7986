/** As much of an answer as a verdict needs. */
export interface SeenAnswer {
  readonly status: number;
  /** The service ends the connection after this one. */
  readonly isLast: boolean;
  readonly body: Buffer;
}

const headEnd = Buffer.from('\r\n\r\n');
const none = Buffer.alloc(0);

/**
 * Cuts what comes over one connection into answers. Reads the status, `Content-Length`, chunks and
 * `Connection: close` and nothing else: a general client costs more than the service that it tests.
 */
export class HttpAnswers {
  #bytes: Buffer = none;

  /** Whether bytes of an answer that is not whole are held. */
  get isInside(): boolean {
    return this.#bytes.length > 0;
  }

  push(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
  }

  /** The next whole answer. `isToHead`: the request that it answers was a HEAD. */
  take(isToHead: boolean): SeenAnswer | undefined {
    for (;;) {
      const end = this.#bytes.indexOf(headEnd);
      if (end < 0) return undefined;
      const head = this.#bytes.toString('latin1', 0, end);
      const status = Number(head.slice(9, 12));
      const start = end + headEnd.length;
      // An interim answer is no answer yet.
      if (status >= 100 && status < 200 && status !== 101) {
        this.#bytes = this.#bytes.subarray(start);
        continue;
      }
      const body = isToHead ? { at: start, bytes: none } : this.#body(head, start, status);
      if (body === undefined) return undefined;
      this.#bytes = this.#bytes.subarray(body.at);
      return { status, isLast: /\r\nconnection: close/i.test(head), body: body.bytes };
    }
  }

  #body(head: string, start: number, status: number): Cut | undefined {
    if (status === 204 || status === 304) return { at: start, bytes: none };
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      const at = start + Number(length);
      return at > this.#bytes.length ? undefined : { at, bytes: this.#bytes.subarray(start, at) };
    }
    if (/\r\ntransfer-encoding: chunked/i.test(head)) return this.#chunks(start);
    // Up to the end of the connection, which only errors on the bare socket leave open.
    return { at: this.#bytes.length, bytes: this.#bytes.subarray(start) };
  }

  #chunks(start: number): Cut | undefined {
    const parts: Buffer[] = [];
    for (let at = start; ; ) {
      const lineEnd = this.#bytes.indexOf('\r\n', at, 'latin1');
      if (lineEnd < 0) return undefined;
      const size = Number.parseInt(this.#bytes.toString('latin1', at, lineEnd), 16);
      const next = lineEnd + 2 + size + 2;
      if (next > this.#bytes.length) return undefined;
      if (size === 0) return { at: next, bytes: Buffer.concat(parts) };
      parts.push(this.#bytes.subarray(lineEnd + 2, next - 2));
      at = next;
    }
  }
}

interface Cut {
  /** Where the next answer begins. */
  readonly at: number;
  readonly bytes: Buffer;
}
