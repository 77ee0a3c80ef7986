import type { Clock } from '../../infra/ports/clock.ts';

export const probeNames = [
  'admission',
  'broker',
  'chain',
  'clock',
  'coordinator',
  'database',
  'durability',
  'history',
  'object_store',
  'partitions',
  'writes',
] as const;

export type ProbeName = (typeof probeNames)[number];

export interface ProbeResult {
  readonly status: 'ok' | 'failed';
  readonly durationMs: number;
  readonly attempts: number;
  /** Where there is more to say than that nobody answered. */
  readonly reason?: string;
}

/** A neighbour that answers, and by which no write would come, or no epoch. The text is for strangers. */
export class WriteBlocked extends Error {
  override name = 'WriteBlocked';
}

export interface ReadinessReport {
  readonly isReady: boolean;
  readonly isDraining: boolean;
  readonly probes: Readonly<Record<ProbeName, ProbeResult>>;
}

/**
 * Shown, and no reason to leave this edge: no write is refused for it, all edges mostly have the same
 * node and the same database, and one that is red for it could not be told from one that takes no writes.
 */
const shownOnly: ReadonlySet<ProbeName> = new Set(['chain', 'durability']);

/** Rejects when the neighbour cannot be used. */
export type Probe = () => Promise<unknown>;

// Long enough for a busy database, short enough that both attempts end inside the few seconds that
// a load balancer waits.
const probeMs = 1_000;
const attemptsMax = 2;
/** Who has said nothing since may have changed its mind. */
const learnedMs = 30_000;

type Probed = ReadinessReport['probes'];

/**
 * What the newest answer of a probe said, whether or not it was waited for: a neighbour whose refusals
 * take longer than an attempt would else never be heard.
 */
interface Learned {
  readonly asked: number;
  readonly atMs: number;
  readonly blocked: WriteBlocked | undefined;
}

/**
 * Asks the neighbours whether a write would succeed now. Anybody may want to know, so all who come while
 * they are asked share the answer: a crowd costs no more than one after the other.
 */
export class Readiness {
  readonly #probes: Readonly<Record<ProbeName, Probe>>;
  readonly #clock: Clock;
  readonly #learned = new Map<Probe, Learned>();
  #draining = false;
  #asked = 0;
  #asking: Promise<Probed> | undefined;

  constructor(probes: Readonly<Record<ProbeName, Probe>>, clock: Clock) {
    this.#probes = probes;
    this.#clock = clock;
  }

  /** From now on the answer is no: this process is about to stop. */
  drain(): void {
    this.#draining = true;
  }

  async report(): Promise<ReadinessReport> {
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined;
    });
    const probes = await this.#asking;
    const isUp = probeNames.every((name) => shownOnly.has(name) || probes[name].status === 'ok');
    return { isReady: isUp && !this.#draining, isDraining: this.#draining, probes };
  }

  async #askAll(): Promise<Probed> {
    const results = await Promise.all(
      probeNames.map(async (name) => [name, await this.#probe(this.#probes[name])] as const),
    );
    // Sound because every name is among them.
    return Object.fromEntries(results) as Probed;
  }

  async #probe(probe: Probe): Promise<ProbeResult> {
    const startedMs = this.#clock.monotonicMs();
    for (let attempts = 1; ; attempts++) {
      const failure = await this.#failureOf(probe);
      if (failure !== undefined && attempts < attemptsMax) continue;
      const durationMs = Math.round((this.#clock.monotonicMs() - startedMs) * 1000) / 1000;
      if (failure === undefined) return { status: 'ok', durationMs, attempts };
      const told = failure instanceof WriteBlocked ? { reason: failure.message } : {};
      return { status: 'failed', durationMs, attempts, ...told };
    }
  }

  /** Undefined when it succeeded in time. */
  async #failureOf(probe: Probe): Promise<Error | undefined> {
    const asked = ++this.#asked;
    const answered = new AbortController();
    const overdue = () => this.#learnedOf(probe) ?? new Error('no answer in time');
    const timeout = this.#clock.sleep(probeMs, answered.signal).then(overdue, overdue);
    const attempt = probe().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    void attempt.then((failure) => this.#learn(probe, { asked, failure }));
    const failure = await Promise.race([attempt, timeout]);
    answered.abort();
    return failure;
  }

  /** Answers may come in another order than they were asked for; the newest question's counts. */
  #learn(probe: Probe, { asked, failure }: { asked: number; failure: Error | undefined }): void {
    if (asked < (this.#learned.get(probe)?.asked ?? 0)) return;
    const blocked = failure instanceof WriteBlocked ? failure : undefined;
    this.#learned.set(probe, { asked, atMs: this.#clock.monotonicMs(), blocked });
  }

  #learnedOf(probe: Probe): WriteBlocked | undefined {
    const { atMs, blocked } = this.#learned.get(probe) ?? { atMs: 0 };
    return this.#clock.monotonicMs() - atMs < learnedMs ? blocked : undefined;
  }
}
