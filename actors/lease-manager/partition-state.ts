import type { Gap } from '../../machines/evaluation-run/decide.ts';
import { isLive, type RunState } from '../../machines/evaluation-run/machine.ts';
import type { EvalPolicy } from '../../machines/types.ts';
import type { Aggregate, Ledger, RaceTerms, Roster, SuiteRoster } from './aggregate.ts';
import { RunDeadlines } from './deadlines.ts';
import { Overlay } from './overlay.ts';

/**
 * Closed versions kept in memory beside the open ones, since completions are often repeated. Each
 * takes 13 KB with two runs (measured), and a process may serve 64 partitions.
 */
const closedVersionsMax = 50;

/** Everything one partition knows, durable or about to be. */
export class PartitionState {
  readonly aggregates = new Overlay<string, Aggregate>();
  /** Version by open work item. */
  readonly openItems = new Overlay<string, string>();
  /** Version by live run. */
  readonly liveRuns = new Overlay<string, string>();
  /** Live run by the slot that it holds; see `slotKey`. */
  readonly heldSlots = new Overlay<string, string>();
  readonly ledgers = new Overlay<string, Ledger>();
  readonly suites = new Map<number, SuiteRoster>();
  /** Every race of which a version in memory has or had work: one a day, so that none is removed. */
  readonly races = new Map<string, RaceTerms>();
  /** A commit failed, perhaps because a race ended meanwhile. */
  mayRacesHaveEnded = false;
  /** What operators' orders have come to, read for every batch that brings news of one. */
  orders: Orders | undefined;
  /** Where the queue places a work item; decided by the admission in SQL, hence no machine's. */
  readonly queueOrderMs = new Map<string, number>();
  readonly deadlines: RunDeadlines;
  /** When nobody served this partition. */
  gaps: readonly Gap[] = [];

  /** Committed versions without open work, the one that changed longest ago first. */
  readonly #closedVersions = new Set<string>();
  /** Whose validators gave a sign of life in this batch, and when. */
  readonly #heard = new Map<string, number>();
  /** Fences below it may be those of a lost branch of the database's history. */
  readonly #fenceFloor: number;

  constructor(policy: EvalPolicy, fenceFloor = 0) {
    this.deadlines = new RunDeadlines(policy);
    this.#fenceFloor = fenceFloor;
  }

  /** For the next claim of a work item; it only grows, whatever the database has forgotten. */
  freshFence({ nextFence }: { readonly nextFence: number }): number {
    return Math.max(nextFence, this.#fenceFloor);
  }

  load(versionId: string, aggregate: Aggregate, notBeforeMs: number): void {
    if (this.aggregates.has(versionId)) return;
    this.aggregates.load(versionId, aggregate);
    for (const [itemId, { state }] of aggregate.items) {
      if (state.value === 'open') this.openItems.load(itemId, versionId);
    }
    for (const [evalRunId, { state }] of aggregate.runs) {
      if (!isLive(state)) continue;
      this.liveRuns.load(evalRunId, versionId);
      this.heldSlots.load(slotKey(state.context), evalRunId);
      this.deadlines.track(state, notBeforeMs);
    }
    this.#placeVersion(versionId, aggregate);
  }

  /** Replaces an aggregate in the batch, with its indexes. */
  put(versionId: string, aggregate: Aggregate, touched: Touched): void {
    this.aggregates.set(versionId, aggregate);
    for (const itemId of touched.itemIds) {
      if (aggregate.items.get(itemId)?.state.value === 'open')
        this.openItems.set(itemId, versionId);
      else this.openItems.delete(itemId);
    }
    for (const evalRunId of touched.runIds) {
      const run = aggregate.runs.get(evalRunId)?.state;
      if (run === undefined) continue;
      if (isLive(run)) this.#holdSlot(run, versionId);
      else this.#freeSlot(run);
    }
  }

  #holdSlot({ context }: RunState, versionId: string): void {
    this.liveRuns.set(context.evalRunId, versionId);
    this.heldSlots.set(slotKey(context), context.evalRunId);
  }

  /** Of a run that ended long ago the slot may be another's by now. */
  #freeSlot({ context }: RunState): void {
    const key = slotKey(context);
    this.liveRuns.delete(context.evalRunId);
    if (this.heldSlots.get(key) === context.evalRunId) this.heldSlots.delete(key);
  }

  /** What a run of this work has to show for itself. */
  roster({ suiteId, raceId }: WorkPlace): Roster {
    return raceId === null ? this.suite(suiteId).qualifying : this.race(raceId).roster;
  }

  suite(suiteId: number): SuiteRoster {
    const suite = this.suites.get(suiteId);
    if (suite === undefined) throw new Error(`suite ${suiteId} was not loaded`);
    return suite;
  }

  race(raceId: string): RaceTerms {
    const race = this.races.get(raceId);
    if (race === undefined) throw new Error(`race ${raceId} was not loaded`);
    return race;
  }

  /** Nothing of a race that is over ends or changes, but for the cancelling of what is left. */
  isRaceOver(work: RaceWork): boolean {
    const raceId = raceOf(work);
    return raceId !== null && !this.race(raceId).isRunning;
  }

  commit(): void {
    for (const [evalRunId, versionId] of this.liveRuns.changes()) {
      const run = this.aggregates.get(versionId ?? '')?.runs.get(evalRunId)?.state;
      if (run !== undefined && isLive(run)) this.deadlines.merge(run);
      else this.#forgetRun(evalRunId);
    }
    for (const [itemId, versionId] of this.openItems.changes()) {
      if (versionId === undefined) this.queueOrderMs.delete(itemId);
    }
    for (const [versionId, aggregate] of this.aggregates.changes()) {
      if (aggregate !== undefined) this.#placeVersion(versionId, aggregate);
    }
    for (const overlay of this.#overlays()) overlay.commit();
    // Of a run that ended in the same batch there is nothing to keep.
    for (const [evalRunId, atMs] of this.#heard) {
      if (this.deadlines.get(evalRunId) !== undefined) this.deadlines.beat(evalRunId, atMs);
    }
    this.#heard.clear();
    this.#evictClosed();
  }

  rollback(): void {
    for (const overlay of this.#overlays()) overlay.rollback();
    this.#heard.clear();
  }

  /** A sign of life with nothing to write: it counts with its batch. */
  hear(evalRunId: string, atMs: number): void {
    this.#heard.set(evalRunId, atMs);
  }

  #forgetRun(evalRunId: string): void {
    this.deadlines.forget(evalRunId);
    this.ledgers.delete(evalRunId);
  }

  #overlays() {
    return [this.aggregates, this.openItems, this.liveRuns, this.heldSlots, this.ledgers];
  }

  /** A set keeps the order in which its values came. */
  #placeVersion(versionId: string, { items }: Aggregate): void {
    this.#closedVersions.delete(versionId);
    const isOpen = [...items.values()].some(({ state }) => state.value === 'open');
    if (!isOpen) this.#closedVersions.add(versionId);
  }

  #evictClosed(): void {
    for (const versionId of this.#closedVersions) {
      if (this.#closedVersions.size <= closedVersionsMax) return;
      this.#closedVersions.delete(versionId);
      this.aggregates.evict(versionId);
    }
  }
}

/** A validator has as many slots as it may hold runs at a time, by number. */
export function slotKey({ validatorHotkey, slot }: Slot): string {
  return `${slot} ${validatorHotkey}`;
}

interface Slot {
  readonly validatorHotkey: string;
  readonly slot: number;
}

/** A race's work, or one that judges a run of it again once it is over. */
export interface RaceWork {
  readonly raceId: string | null;
  readonly rejudges: object | null;
}

/** The race that has to run for this work; judging again depends on none. */
export function raceOf({ raceId, rejudges }: RaceWork): string | null {
  return rejudges === null ? raceId : null;
}

interface WorkPlace {
  readonly suiteId: number;
  /** Null for QUALIFYING work. */
  readonly raceId: string | null;
}

/** Messages tell of orders late and in any order; the tables tell how things stand. */
export interface Orders {
  readonly activeSuiteId: number | null;
  /** The last time that the suite was not active before. */
  readonly activatedAtMs: number | null;
  readonly bannedHotkeys: ReadonlySet<string>;
  /** Of the rejudgings that messages of the batch name, those that are applied or cancelled. */
  readonly endedRejudgings: ReadonlySet<string>;
  /** When these were ordered, ended or not. */
  readonly rejudgingsOrderedAtMs: ReadonlyMap<string, number>;
}

export interface Touched {
  readonly itemIds: Iterable<string>;
  readonly runIds: Iterable<string>;
}
