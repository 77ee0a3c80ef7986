import type { WireAnswer } from '../../http-connection.ts';
import type { Samples, ShedAnswers, StreamResult } from './streams.ts';

interface Sample {
  readonly key: number;
  readonly dueMs: number;
  readonly sentMs: number;
  readonly doneMs: number;
}

/** What became of a stream's requests. */
export class SampleLog {
  readonly #key: number[] = [];
  readonly #dueMs: number[] = [];
  readonly #sentMs: number[] = [];
  readonly #doneMs: number[] = [];
  readonly #status: number[] = [];
  readonly #refusals: Record<string, number> = {};
  readonly #retryAfter: Record<string, number> = {};
  #shed = 0;
  #withoutAdmission = 0;
  #withoutRetryAfter = 0;
  #bodyBytesMax = 0;

  /** Without an answer where the connection ended first. */
  add({ key, dueMs, sentMs, doneMs }: Sample, answer: WireAnswer | undefined): void {
    const status = answer?.status ?? 0;
    this.#key.push(key);
    this.#dueMs.push(dueMs);
    this.#sentMs.push(sentMs);
    this.#doneMs.push(status === 0 ? Number.POSITIVE_INFINITY : doneMs);
    this.#status.push(status);
    if (status >= 200 && status < 300) return;
    const code = answer === undefined ? 'no answer' : `${status} ${codeOf(answer.body)}`;
    this.#refusals[code] = (this.#refusals[code] ?? 0) + 1;
    if (answer !== undefined && code === '503 OVERLOADED') this.#look(answer);
  }

  result(): Omit<StreamResult, 'name'> {
    const samples: Samples = {
      key: Float64Array.from(this.#key),
      dueMs: Float64Array.from(this.#dueMs),
      sentMs: Float64Array.from(this.#sentMs),
      doneMs: Float64Array.from(this.#doneMs),
      status: Uint16Array.from(this.#status),
    };
    const shed: ShedAnswers = {
      count: this.#shed,
      withoutAdmission: this.#withoutAdmission,
      withoutRetryAfter: this.#withoutRetryAfter,
      retryAfterSeconds: this.#retryAfter,
      bodyBytesMax: this.#bodyBytesMax,
    };
    return { samples, shed, refusals: this.#refusals };
  }

  #look({ head = '', body }: WireAnswer): void {
    this.#shed += 1;
    if (!/^x-admission: *rejected\r?$/im.test(head)) this.#withoutAdmission += 1;
    const seconds = /^retry-after: *(\d+)\r?$/im.exec(head)?.[1];
    if (seconds === undefined) this.#withoutRetryAfter += 1;
    else this.#retryAfter[seconds] = (this.#retryAfter[seconds] ?? 0) + 1;
    this.#bodyBytesMax = Math.max(this.#bodyBytesMax, Buffer.byteLength(body));
  }
}

function codeOf(body: string): string {
  return /"error_code":"([A-Z_]+)"/.exec(body)?.[1] ?? '';
}
