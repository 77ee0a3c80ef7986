import type { DurableWeather } from '../broker/durable-store.ts';
import type { DatabaseWeather, StatementFate } from '../database/database-link.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Prng } from '../kernel/prng.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import type { Counters } from '../report/counters.ts';
import type { HttpWeather } from '../world/http.ts';

export type CrashPoint =
  | 'after-commit'
  | 'after-publish'
  | 'after-reply'
  | 'before-commit'
  /** No crash: stopped with the statement in its hands, until others own what it writes. */
  | 'stopped-at-commit';

/** What goes wrong by itself, a little all the time while it is bad and nothing while it is fine. */
export class Weather implements DatabaseWeather, DurableWeather, HttpWeather {
  readonly #kernel: Kernel;
  readonly #random: Prng;
  readonly #counters: Counters;
  readonly #kill: (process: SimProcess) => void;
  #isBad = false;
  #databaseDownUntilUs = 0;
  #crash: CrashPoint | undefined;
  /** Where it never was, nobody was ever given more of a lease than was told. */
  hasEverBeenBad = false;
  /** Soft state has no fence: among other faults a late one misleads the witnesses alone. */
  hasLateFlushes = false;
  /** Fresh windows that leases are owed; the domain's clock. */
  readonly #owed: { readonly afterMs: number; readonly untilMs: number }[] = [];
  /** Grows when one begins and when all is put right. */
  #databaseOutages = 0;
  /** In the order of their beginnings; the domain's clock. */
  readonly #disturbances: { readonly fromMs: number; readonly toMs: number }[] = [];
  /** Since when no fault was at work; the domain's clock. */
  unhurtSinceMs = 0;

  constructor(deps: {
    readonly kernel: Kernel;
    readonly counters: Counters;
    readonly kill: (process: SimProcess) => void;
  }) {
    this.#kernel = deps.kernel;
    this.#random = deps.kernel.randomFor('weather');
    this.#counters = deps.counters;
    this.#kill = deps.kill;
  }

  turnBad(): void {
    this.#isBad = true;
    this.hasEverBeenBad = true;
  }

  turnFine(): void {
    this.#isBad = false;
    this.#crash = undefined;
    this.#databaseDownUntilUs = 0;
    this.#databaseOutages += 1;
    this.disturbed(0);
  }

  get isBad(): boolean {
    return this.#isBad;
  }

  /** Leases may be longer after it than validators were told, by as much as an amnesty gives. */
  disturbed(forMs: number): void {
    const fromMs = this.#kernel.domainNowMs;
    this.unhurtSinceMs = Math.max(this.unhurtSinceMs, fromMs + forMs);
    this.#disturbances.push({ fromMs, toMs: fromMs + forMs });
  }

  /** The domain's clock has moved on, which lengthens nothing; what a fault still does, it does after it. */
  jumped(byMs: number): void {
    const beforeMs = this.#kernel.domainNowMs - byMs;
    if (this.unhurtSinceMs > beforeMs) this.unhurtSinceMs += byMs;
  }

  /** How much of that time was disturbed: by so much a lease may have become longer in it. */
  disturbedMs(fromMs: number, toMs: number): number {
    let sum = 0;
    let coveredMs = fromMs;
    for (const each of this.#disturbances) {
      const startMs = Math.max(each.fromMs, coveredMs);
      const endMs = Math.min(each.toMs, toMs);
      if (endMs <= startMs) continue;
      sum += endMs - startMs;
      coveredMs = endMs;
    }
    return sum;
  }

  databaseDown(ms: number): void {
    const fromMs = this.#kernel.domainNowMs;
    this.#databaseDownUntilUs = this.#kernel.nowUs + Math.round(ms * 1000);
    this.#databaseOutages += 1;
    const outage = this.#databaseOutages;
    this.#kernel.after(ms, 'the database is back', () => {
      // It may have been put right before, or be away again.
      if (outage !== this.#databaseOutages || ms < renewalsMissedMs) return;
      const untilMs = fromMs + ms + windowMs - marginMs;
      this.#owed.push({ afterMs: fromMs + renewalsMissedMs, untilMs });
    });
  }

  /** From now on nobody can be heard for so long. */
  brokerAway(ms: number): void {
    const fromMs = this.#kernel.domainNowMs;
    this.#owed.push({ afterMs: fromMs, untilMs: fromMs + ms + windowMs });
  }

  /** From now on one edge is not heard any more, which spoke until now. */
  edgeGone(): void {
    const fromMs = this.#kernel.domainNowMs;
    const untilMs = fromMs + windowMs - marginMs;
    this.#owed.push({ afterMs: fromMs + edgeMissedMs, untilMs });
  }

  /** Whether a lease that was to end then has not had its fresh window after an outage at `atMs`. */
  isOwed(promisedMs: number, atMs: number): boolean {
    return this.#owed.some(
      ({ afterMs, untilMs }) => promisedMs > afterMs && atMs > afterMs && atMs < untilMs,
    );
  }

  /** The next coordinator that comes to this point in its work dies there. */
  crashAt(point: CrashPoint): void {
    this.#crash = point;
  }

  fateOf(process: SimProcess, statement: string): StatementFate {
    if (this.#kernel.nowUs < this.#databaseDownUntilUs) return 'refused';
    if (!this.#isBad) return 'done';
    if (statement === 'commit' && this.#crash === 'before-commit') {
      this.#crashes(process);
      return 'lost-unsent';
    }
    // Most statements only look for something; a commit in doubt is what matters.
    if (statement === 'commit' && this.#crash === 'stopped-at-commit') {
      this.#crash = undefined;
      const ms = this.#random.between(5_500, 9_000);
      process.pause(ms);
      this.disturbed(ms);
      this.#counters.add('fault: stopped at a commit');
      return 'held';
    }
    const roll = this.#random.below(statement === 'commit' ? 1_500 : 10_000);
    const fate = fates.find(({ below }) => roll < below)?.fate ?? 'done';
    if (fate === 'done') return fate;
    // Unfenced soft state: late, it is only misleading to whoever compares it with what was done.
    if (fate === 'lost-late' && statement === 'flush_run_beat') return 'lost-unsent';
    // It may have been a renewal, which is late until the next one has come.
    this.disturbed(renewalsMissedMs + marginMs);
    this.#counters.add(`fault: statement ${fate}`);
    if (statement === 'commit') this.#counters.add('ambiguous commits');
    return fate;
  }

  onExecuted(process: SimProcess, statement: string): void {
    if (statement === 'commit' && this.#crash === 'after-commit') this.#crashes(process);
    if (statement === 'commit' && this.#crash === 'after-reply' && process.isAlive) {
      this.#crash = undefined;
      // The answer has left by then, and what it tells others has perhaps not.
      this.#kernel.after(this.#random.between(2, 6), 'after the reply', () =>
        this.#crashes(process, 'after-reply'),
      );
    }
  }

  onPublished(process: SimProcess): void {
    if (this.#crash === 'after-publish') this.#crashes(process);
  }

  repeats(): boolean {
    return this.#isBad && this.#random.happens(60);
  }

  losesAnswer(): boolean {
    const isLost = this.#isBad && this.#random.happens(20);
    if (isLost) this.#counters.add('fault: answer lost');
    return isLost;
  }

  #crashes(process: SimProcess, point = this.#crash): void {
    if (!process.isAlive || !process.name.startsWith('coordinator')) return;
    this.#crash = undefined;
    this.#counters.add(`fault: crash ${point}`);
    this.#kill(process);
  }
}

/** What every lease is owed after an outage of ours: a whole one, by settings.ts. */
export const windowMs = 20_000;
/** Owners know that renewals are late by then, and end nothing before one has come. */
const renewalsMissedMs = 3_000;
/** Everybody misses a dead edge by then, even where the broker was away for a moment. */
const edgeMissedMs = 8_000;
/** A window begins when the outage is known to be over; clocks of owners lag a little. */
const marginMs = 1_000;

/** Of ten thousand statements, or of fifteen hundred commits. */
const fates: readonly { readonly below: number; readonly fate: StatementFate }[] = [
  { below: 12, fate: 'lost-answered' },
  { below: 20, fate: 'lost-late' },
  { below: 26, fate: 'lost-unsent' },
];
