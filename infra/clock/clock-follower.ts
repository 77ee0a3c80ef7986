import type { Signals, Subscription } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type ClockState,
  type ClockStore,
  type FollowerReport,
  heardSignal,
  movedSignal,
  type Outlook,
} from '../ports/clock-follower.ts';
import type { Service } from '../ports/lifecycle.ts';
import type { Logger } from '../ports/log.ts';

/** Several within the two seconds after which a silent process counts no more. */
const pollMs = 250;
/** Partitions that come to rest within the same moment are one piece of news. */
const restMs = 2;
/** What is due and fails, as while the database is away, must not be tried without a pause. */
const restMaxMs = 20;

export interface ClockFollowerDeps {
  /** Unique among the processes that run at one time. */
  readonly process: string;
  readonly store: ClockStore;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Worker {
  nowMs(): number;
  /** Begins with what is due. */
  outlook(): Outlook;
}

/**
 * This process's knowledge of a simulated clock. It learns the offset by signal or by asking, and
 * reports what is left to do here and when there will be more.
 *
 * 1. The offset only grows.
 * 2. An outlook is taken after the round that it is reported for was learned.
 */
export class ClockFollower implements Service {
  readonly #deps: ClockFollowerDeps;
  #state: ClockState = { offsetUs: 0, round: 0 };
  #worker: Worker | undefined;
  #told: FollowerReport | undefined;
  #telling: Promise<void> | undefined;
  #isTellingAgain = false;
  #isResting = false;
  #restMs = restMs;
  readonly #stopped = new AbortController();
  #stopPolling: (() => void) | undefined;
  #signals: Subscription | undefined;

  constructor(deps: ClockFollowerDeps) {
    this.#deps = deps;
  }

  offsetMs(): number {
    return this.#state.offsetUs / 1000;
  }

  /** From here on what the worker has to do belongs to the reports. */
  watch(worker: Worker): void {
    this.#worker = worker;
    void this.#tell();
  }

  /** Something came to rest here. */
  async rested(): Promise<void> {
    if (this.#isResting || !this.#isOutdated()) return;
    this.#isResting = true;
    await this.#deps.clock.sleep(this.#restMs, this.#stopped.signal);
    this.#isResting = false;
    this.#restMs = Math.min(2 * this.#restMs, restMaxMs);
    await this.#tell();
  }

  async start(): Promise<void> {
    const { clock, log, signals, store } = this.#deps;
    this.#signals = signals.onSignal(movedSignal, (body) => this.#hear(body));
    this.#stopPolling = clock.every(pollMs, () => this.#tell({ isPoll: true }));
    try {
      this.#learn(await store.read());
    } catch (error) {
      log.warn('the simulated clock cannot be read yet', { error });
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#stopPolling?.();
    await this.#signals?.close();
    await this.#telling;
  }

  #hear(body: unknown): void {
    const state = stateOf(body);
    if (state !== undefined && this.#learn(state)) void this.#tell();
  }

  /** True when it was news here: an edge has no work to be asked about. */
  #learn({ offsetUs, round }: ClockState): boolean {
    const known = this.#state;
    this.#state = {
      offsetUs: Math.max(known.offsetUs, offsetUs),
      round: Math.max(known.round, round),
    };
    return offsetUs > known.offsetUs || (round > known.round && this.#worker !== undefined);
  }

  /** What was told last says less than there is to say. */
  #isOutdated(): boolean {
    const told = this.#told;
    if (told === undefined || told.round !== this.#state.round || !told.isIdle) return true;
    return told.nextDueMs !== null && told.nextDueMs <= (this.#worker?.nowMs() ?? 0);
  }

  async #tell(how: { readonly isPoll: boolean } = { isPoll: false }): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    if (this.#telling !== undefined) {
      this.#isTellingAgain = true;
      return await this.#telling;
    }
    this.#telling = this.#tellAll(how).finally(() => {
      this.#telling = undefined;
    });
    await this.#telling;
  }

  async #tellAll({ isPoll }: { readonly isPoll: boolean }): Promise<void> {
    do {
      this.#isTellingAgain = false;
      try {
        if (await this.#tellOnce(isPoll)) this.#isTellingAgain = true;
      } catch (error) {
        this.#deps.log.debug('how far this process is could not be told', { error });
        return;
      }
    } while (this.#isTellingAgain && !this.#stopped.signal.aborted);
  }

  /** True when the answer was news. */
  async #tellOnce(isPoll: boolean): Promise<boolean> {
    const { signals, store } = this.#deps;
    const report: FollowerReport = {
      ...this.#state,
      process: this.#deps.process,
      ...this.#ownOutlook(),
    };
    // Who is at work tells when that is done; until then only that it lives.
    if (!report.isIdle && !isPoll) return false;
    const state = await store.report(report);
    if (report.isIdle) this.#restMs = restMs;
    if (!isSame(report, this.#told)) signals.signal(heardSignal, {});
    this.#told = report;
    return this.#learn(state);
  }

  #ownOutlook(): Pick<
    FollowerReport,
    'epochSum' | 'incarnation' | 'isIdle' | 'nextDueMs' | 'partitions'
  > {
    const outlook = this.#worker?.outlook();
    if (outlook === undefined) {
      return { incarnation: null, isIdle: true, nextDueMs: null, partitions: 0, epochSum: 0 };
    }
    const { incarnation, isIdle, nextDueMs, nowMs, partitions, epochSum } = outlook;
    if (isIdle && nextDueMs !== undefined) this.#wakeIn(nextDueMs - nowMs);
    return { incarnation, isIdle, nextDueMs: nextDueMs ?? null, partitions, epochSum };
  }

  /** The clock stands just before a deadline often: on time, not with the next tick of the runtime. */
  #wakeIn(ms: number): void {
    if (ms > pollMs) return;
    const { clock } = this.#deps;
    void clock.sleep(Math.max(1, ms), this.#stopped.signal).then(() => this.#tell());
  }
}

function isSame(report: FollowerReport, told: FollowerReport | undefined): boolean {
  return JSON.stringify(report) === JSON.stringify(told);
}

function stateOf(body: unknown): ClockState | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (!('offsetUs' in body && 'round' in body)) return undefined;
  const { offsetUs, round } = body;
  return typeof offsetUs === 'number' && typeof round === 'number'
    ? { offsetUs, round }
    : undefined;
}
