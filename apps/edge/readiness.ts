import type { Clock } from '../../infra/ports/clock.ts';

export type ProbeName = 'broker' | 'coordinator' | 'database' | 'history' | 'object_store';

export interface ProbeResult {
  readonly status: 'ok' | 'failed';
  readonly durationMs: number;
  readonly attempts: number;
}

export interface ReadinessReport {
  readonly isReady: boolean;
  readonly isDraining: boolean;
  readonly probes: Readonly<Record<ProbeName, ProbeResult>>;
}

/** Rejects when the neighbour cannot be used. */
export type Probe = () => Promise<unknown>;

// Long enough for a busy database, short enough that both attempts end inside the few seconds that
// a load balancer waits.
const probeMs = 1_000;
const attemptsMax = 2;

type Probed = ReadinessReport['probes'];

/**
 * Asks the neighbours whether a write would succeed now. Anybody may want to know, so all who come while
 * they are asked share the answer: a crowd costs no more than one after the other.
 */
export class Readiness {
  readonly #probes: Readonly<Record<ProbeName, Probe>>;
  readonly #clock: Clock;
  #draining = false;
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
    const isUp = Object.values(probes).every(({ status }) => status === 'ok');
    return { isReady: isUp && !this.#draining, isDraining: this.#draining, probes };
  }

  async #askAll(): Promise<Probed> {
    const [database, broker, objectStore, coordinator, history] = await Promise.all([
      this.#probe(this.#probes.database),
      this.#probe(this.#probes.broker),
      this.#probe(this.#probes.object_store),
      this.#probe(this.#probes.coordinator),
      this.#probe(this.#probes.history),
    ]);
    return { database, broker, object_store: objectStore, coordinator, history };
  }

  async #probe(probe: Probe): Promise<ProbeResult> {
    const startedMs = this.#clock.monotonicMs();
    for (let attempts = 1; ; attempts++) {
      const isUp = await this.#succeedsInTime(probe);
      if (!isUp && attempts < attemptsMax) continue;
      const durationMs = Math.round((this.#clock.monotonicMs() - startedMs) * 1000) / 1000;
      return { status: isUp ? 'ok' : 'failed', durationMs, attempts };
    }
  }

  async #succeedsInTime(probe: Probe): Promise<boolean> {
    const answered = new AbortController();
    const timeout = this.#clock.sleep(probeMs, answered.signal).then(
      () => false,
      () => false,
    );
    const attempt = probe().then(
      () => true,
      () => false,
    );
    const isUp = await Promise.race([attempt, timeout]);
    answered.abort();
    return isUp;
  }
}
