import type { Clock } from '../ports/clock.ts';
import type { History, HistoryStore, Mark, MarkCopy, TimeTold } from '../ports/history.ts';
import type { Service } from '../ports/lifecycle.ts';
import type { Logger } from '../ports/log.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { type Objection, objectionOf } from './objection.ts';

export interface HistoryWatchDeps {
  readonly store: HistoryStore;
  readonly copies: readonly MarkCopy[];
  /** True for coordinators: they move the mark on and write the copies. */
  readonly isKeeper: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Telemetry, 'gauge'>;
  readonly policy?: Partial<HistoryPolicy>;
  /** Of each look that the database answered. */
  readonly onTime?: (told: TimeTold) => void;
}

export interface HistoryPolicy {
  /** One statement of this process; the mark moves on no more often, whoever asks. */
  readonly lookEveryMs: number;
  /** One request of this process to each place outside of the database. */
  readonly copyEveryMs: number;
}

const defaultPolicy: HistoryPolicy = { lookEveryMs: 1_000, copyEveryMs: 5_000 };

export interface LostHistory {
  readonly objection: Objection;
  readonly here: Mark;
  readonly kept: Mark;
  /** Where it is kept: `memory` of this process, or the name of a copy. */
  readonly where: string;
}

/** The objection by whoever is furthest, and undefined where nobody has one. */
export function lostHistory(
  kept: ReadonlyMap<string, Mark>,
  history: History,
): LostHistory | undefined {
  const found = [...kept].flatMap(([where, mark]): LostHistory[] => {
    const objection = objectionOf(mark, history);
    return objection === undefined ? [] : [{ objection, here: history.newest, kept: mark, where }];
  });
  return found.toSorted((left, right) => right.kept.seq - left.kept.seq)[0];
}

/**
 * Compares how far the database has come with what is known elsewhere: in this process's memory and in
 * the copies outside. What was acknowledged and is not there any more is noticed within a look.
 *
 * 1. A copy is written after its mark was committed, so one that is late is no reason to worry.
 * 2. While history is lost no mark is moved and no copy is written.
 * 3. A place that does not answer says nothing: the others decide, and once it answers again the
 *    chain of hashes still tells that the database went back meanwhile. Until then it is not written.
 */
export class HistoryWatch implements Service {
  readonly #deps: HistoryWatchDeps;
  readonly #policy: HistoryPolicy;
  /** What each place told last. */
  readonly #kept = new Map<string, Mark>();
  /** Places outside of the database that were not read, or not written since. */
  readonly #failing = new Set<string>();
  #isDatabaseUnread = false;
  readonly #waiting = new Set<() => void>();
  readonly #stops: (() => void)[] = [];
  #lost: LostHistory | undefined;
  #wasLost = false;
  #firstBranch: number | undefined;
  #branch = 0;
  #genesis: string | undefined;
  #hasLooked = false;
  #copiedMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();

  constructor(deps: HistoryWatchDeps) {
    this.#deps = deps;
    this.#policy = { ...defaultPolicy, ...deps.policy };
  }

  /** Undefined while nothing speaks against the database. */
  get lost(): LostHistory | undefined {
    return this.#lost;
  }

  get branch(): number {
    return this.#branch;
  }

  /** Undefined until the database was read, and where no coordinator ever worked on it. */
  get genesis(): string | undefined {
    return this.#genesis;
  }

  /** The database was read, if only to learn that no coordinator ever worked on it. */
  get hasLooked(): boolean {
    return this.#hasLooked;
  }

  /** The database was asked, and what it says is what is known. */
  get isSound(): boolean {
    return this.#hasLooked && this.#lost === undefined;
  }

  /** What this process remembers may be of a history that is no more. */
  get isOutdated(): boolean {
    return this.#wasLost || this.#branch !== (this.#firstBranch ?? this.#branch);
  }

  /** Looks once, whatever comes of it. */
  async start(): Promise<void> {
    const { clock, telemetry } = this.#deps;
    this.#stops.push(
      telemetry.gauge('paddock.history.lost', () => (this.#lost === undefined ? 0 : 1)),
      telemetry.gauge('paddock.history.unread', () => this.#failing.size),
    );
    await this.#look();
    // The first look of all found nothing, and only a second one begins.
    if (this.#deps.isKeeper && this.#hasLooked && this.#genesis === undefined) await this.#look();
    this.#stops.push(
      clock.every(this.#policy.lookEveryMs, () => {
        this.#looking = this.#look();
        return this.#looking;
      }),
    );
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#looking;
  }

  /** Resolves once it holds after a look, or when nobody waits any more. */
  async until(holds: () => boolean, signal?: AbortSignal): Promise<void> {
    if (holds() || signal?.aborted === true) return;
    const done = Promise.withResolvers<void>();
    const check = () => {
      if (holds()) done.resolve();
    };
    const leave = () => done.resolve();
    this.#waiting.add(check);
    signal?.addEventListener('abort', leave, { once: true });
    await done.promise;
    this.#waiting.delete(check);
    signal?.removeEventListener('abort', leave);
  }

  async #look(): Promise<void> {
    const { isKeeper, log, store } = this.#deps;
    try {
      if (isKeeper && this.#lost === undefined && this.#hasLooked) {
        await store.advance(this.#policy.lookEveryMs, this.#kept.get('memory')?.hash);
      }
      await this.#compare();
      this.#hasLooked = true;
      this.#isDatabaseUnread = false;
    } catch (error) {
      if (!this.#isDatabaseUnread) log.warn('the history of the database is unread', { error });
      this.#isDatabaseUnread = true;
    }
    for (const check of [...this.#waiting]) check();
  }

  async #compare(): Promise<void> {
    const { clock } = this.#deps;
    const isCopyDue = clock.monotonicMs() - this.#copiedMs >= this.#policy.copyEveryMs;
    const before = await this.#read();
    if (before === undefined) return;
    const read = isCopyDue ? await this.#readCopies(before.newest.genesis) : [];
    // Read after the copies: what was committed before they were written is seen.
    const history = isCopyDue ? await this.#read() : before;
    if (history === undefined) return;
    this.#judge(history);
    if (this.#lost !== undefined) return;
    this.#kept.set('memory', history.newest);
    if (!this.#deps.isKeeper) return;
    // What was not read may know of a history that is no more, and would be the only one.
    await Promise.all(read.map((copy) => this.#writeCopy(copy, history.newest)));
  }

  /** Those that answered. */
  async #readCopies(genesis: string): Promise<readonly MarkCopy[]> {
    const { clock, copies } = this.#deps;
    const answered = await Promise.all(copies.map((copy) => this.#readCopy(copy, genesis)));
    this.#copiedMs = clock.monotonicMs();
    return copies.filter((_, at) => answered[at] === true);
  }

  async #read(): Promise<History | undefined> {
    const { clock, onTime, store } = this.#deps;
    const askedMs = clock.nowMs();
    const history = await store.read([...this.#kept.values()].map(({ seq }) => seq));
    if (history !== undefined) {
      onTime?.({ askedMs, databaseMs: history.nowMs, heardMs: clock.nowMs() });
    }
    return history;
  }

  #judge(history: History): void {
    const here = history.newest;
    this.#branch = here.branch;
    this.#genesis = here.genesis;
    this.#firstBranch ??= here.branch;
    const before = this.#lost;
    this.#lost = lostHistory(this.#kept, history);
    if (this.#lost !== undefined && before === undefined) {
      this.#wasLost = true;
      this.#deps.log.error(whatToDo, { ...this.#lost });
    }
    if (this.#lost === undefined && before !== undefined) {
      this.#deps.log.warn('the history of the database was accepted or is whole again', { here });
    }
  }

  async #readCopy(copy: MarkCopy, genesis: string): Promise<boolean> {
    try {
      const kept = await copy.read(genesis);
      if (kept !== undefined) this.#kept.set(copy.name, kept);
      if (!this.#deps.isKeeper) this.#failing.delete(copy.name);
      return true;
    } catch (error) {
      if (this.#isNews(copy.name)) {
        this.#deps.log.warn('a copy of the mark cannot be read', { copy: copy.name, error });
      }
      return false;
    }
  }

  async #writeCopy(copy: MarkCopy, mark: Mark): Promise<void> {
    try {
      await copy.write(mark);
      this.#failing.delete(copy.name);
    } catch (error) {
      if (this.#isNews(copy.name)) {
        this.#deps.log.warn('a copy of the mark cannot be written', { copy: copy.name, error });
      }
    }
  }

  #isNews(failing: string): boolean {
    if (this.#failing.has(failing)) return false;
    this.#failing.add(failing);
    return true;
  }
}

const whatToDo =
  'THE DATABASE WENT BACK IN TIME: what was acknowledged is not in it. Reads go on, writes are ' +
  'refused. Point DATABASE_URL at the server that has it; or, if it is lost, accept that with ' +
  '`npm run history -- accept --operator NAME --reason TEXT` (infra/decisions/0039)';
