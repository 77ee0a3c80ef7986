/**
 * An answer of the service that is no success, with its body as it was sent: `code` and what goes
 * with it tell what to do, `retryAfterSeconds` when.
 */
export class Refusal<Body = unknown> extends Error {
  override name = 'Refusal';
  readonly status: number;
  /** `VALIDATION_FAILED` for the 422 that names fields instead of a code. */
  readonly code: string;
  readonly body: Body;
  readonly retryAfterSeconds: number | undefined;
  /** Names the request in the service's own log. */
  readonly requestId: string | undefined;
  /** Of an order that was sent again: nobody heard what became of it before. */
  isAfterLost = false;

  constructor(
    what: string,
    answer: { readonly status: number; readonly headers: Headers },
    body: Body,
  ) {
    const code = codeOf(answer.status, body);
    super(`${what} was refused: ${answer.status} ${code}: ${detailOf(body)}`);
    this.status = answer.status;
    this.code = code;
    this.body = body;
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
    this.requestId = answer.headers.get('x-request-id') ?? undefined;
  }

  /**
   * What was asked may have been carried out all the same: the service says so, or it is a proxy's word, which
   * waited in vain; or an earlier try of it was lost, and this one was turned away before anybody looked.
   */
  get leavesOpen(): boolean {
    if (this.code === 'OUTCOME_UNKNOWN' || this.status === 500) return true;
    const isTurnedAway = this.status === 429 || this.status >= 500;
    return isTurnedAway && (this.isAfterLost || (this.isProxys && this.status > 500));
  }

  /** Whether it names no code of the service: then a proxy before it may have said so, which knows nothing. */
  get isProxys(): boolean {
    return this.code === nameless(this.status);
  }
}

/** The service did not answer in time, or the connection broke. */
export class Unanswered extends Error {
  override name = 'Unanswered';
  /** Of an order that was sent again: nobody heard what became of it before. */
  isAfterLost = false;

  /** Whether what was asked may have been carried out all the same: not where nobody was reached, in any try. */
  get leavesOpen(): boolean {
    return this.isAfterLost || !unreached.has(codeOfConnection(this));
  }
}

/** Of a connection that never was. */
const unreached: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** As the system names what became of the connection; undefined where it does not. */
export function codeOfConnection({ cause }: Unanswered): string | undefined {
  const code: unknown = Reflect.get(Object(Reflect.get(Object(cause), 'cause')), 'code');
  return typeof code === 'string' ? code : undefined;
}

function codeOf(status: number, body: unknown): string {
  const code: unknown = Reflect.get(Object(body), 'error_code');
  if (typeof code === 'string') return code;
  return status === 422 ? 'VALIDATION_FAILED' : nameless(status);
}

function nameless(status: number): string {
  return `HTTP_${status}`;
}

function detailOf(body: unknown): string {
  const detail: unknown = Reflect.get(Object(body), 'detail');
  return typeof detail === 'string' ? detail : JSON.stringify(detail ?? body);
}
