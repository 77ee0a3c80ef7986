/** What the client knows of one attempt: an answer, a refusal without effect, or nothing. */
export type Outcome = 'acknowledged' | 'rejected' | 'unknown';

export type AttemptKind =
  | 'claim'
  | 'complete'
  | 'heartbeat'
  | 'release'
  | 'results'
  | 'standings'
  | 'submit';

/** What a write said, as far as a checker needs it. */
export interface Sent {
  readonly kind: AttemptKind;
  readonly evalRunId?: string;
  /** Of the results, in their order. */
  readonly taskIds?: readonly string[];
  /** Of a completion: equal texts are equal completions. */
  readonly digest?: string;
  readonly isKeyed: boolean;
}

/** What an acknowledgement said. */
export interface Told {
  readonly evalRunId?: string;
  readonly agentVersionId?: string;
  readonly leaseUntilMs?: number;
  readonly statuses?: readonly number[];
  readonly resultIds?: readonly (string | null)[];
  readonly runStatus?: string;
  readonly becameEligible?: boolean;
  readonly finalScore?: number | null;
  readonly epoch?: number;
  readonly bodySha256?: string;
}

/** One HTTP request of one client, from its side of the wire. Times are Unix milliseconds. */
export interface Attempt {
  /** Its hotkey. */
  readonly client: string;
  readonly sent: Sent;
  readonly callMs: number;
  /** When the first attempt of the same request was made. */
  readonly firstCallMs: number;
  /** The door that it was sent to, such as `http://127.0.0.1:4000`; empty when it never was. */
  door: string;
  returnMs: number;
  outcome: Outcome;
  /** 0 without an answer. */
  status: number;
  code: string;
  told: Told;
}

/** Everything that clients did and were told, in the order of their calls. */
export class History {
  readonly attempts: Attempt[] = [];
  /** Runs whose validator was silent past its lease by intention. */
  readonly silent = new Set<string>();
  /** What a participant did not expect. */
  readonly troubles: string[] = [];
  /** Answers that the service may not give, whatever befell it. */
  readonly defects: string[] = [];
  readonly counts = new Map<string, number>();

  begin(attempt: Pick<Attempt, 'client' | 'firstCallMs' | 'sent'>): Attempt {
    const begun: Attempt = {
      ...attempt,
      callMs: nowMs(),
      door: '',
      returnMs: Number.POSITIVE_INFINITY,
      outcome: 'unknown',
      status: 0,
      code: '',
      told: {},
    };
    this.attempts.push(begun);
    return begun;
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }
}

/** The wall clock that the database reads too, without the steps that it may make. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
