import type { BoardRow } from '../reads/board-rows.ts';
import type { LeaderboardRow } from '../reads/leaderboard.ts';
import { Column } from './column.ts';
import { type Claim, type Claims, type ContenderRules, Contenders } from './contenders.ts';
import { type Hits, Miners } from './miners.ts';
import { Ranking } from './ranking.ts';
import { Submissions } from './submissions.ts';
import { VersionIds } from './version-ids.ts';

/** For what the database holds as null. */
const none = -(2 ** 31);
const unitsPerOne = 10_000;
const usPerMs = 1000;

/** Of few versions: of those that raced, or reigned. */
interface Honours {
  readonly raceScore: number | null;
  readonly weightedScore: number | null;
  readonly topAt: Date | null;
  readonly isReigning: boolean;
  readonly isSurvivor: boolean;
}

export interface BoardPage {
  /** Versions that match. */
  readonly total: number;
  readonly uniqueMiners: number;
  readonly rows: readonly LeaderboardRow[];
}

export interface BoardQuery {
  readonly limit: number;
  readonly offset: number;
  readonly search: string | undefined;
  readonly isSuiteActive: boolean;
}

/** Fewer hits than this are put in order; more are met on the way down the board. */
const fewHits = 4_096;

/**
 * The qualifying board of one suite: every version that is eligible, or was submitted lately, as
 * numbers in columns. Instants are microseconds, scores integers of 10^-4.
 */
export class Board {
  readonly #ids = new VersionIds();
  readonly #miners = new Miners();
  readonly #contenders = new Contenders(this.#claims());
  readonly #submissions: Submissions;
  readonly #agent = new Column(Uint32Array);
  readonly #number = new Column(Int32Array);
  readonly #isEligible = new Column(Uint8Array);
  readonly #score = new Column(Int32Array);
  readonly #finalScore = new Column(Int32Array);
  readonly #scoreLow = new Column(Int32Array);
  readonly #scoreHigh = new Column(Int32Array);
  readonly #submittedAt = new Column(Float64Array);
  readonly #eligibleAt = new Column(Float64Array);
  readonly #eliminatedAt = new Column(Float64Array);
  readonly #honours = new Map<number, Honours>();
  readonly #ranking = new Ranking(
    (left, right) =>
      this.#score.get(right) - this.#score.get(left) || this.#ids.compare(left, right),
  );

  /** @param submittedFromUs of earlier submissions nobody will ask how many there are */
  constructor(submittedFromUs: number) {
    this.#submissions = new Submissions(submittedFromUs);
  }

  /** Versions that it holds, on the board or not. */
  get size(): number {
    return this.#ids.size;
  }

  holds(agentVersionId: string): boolean {
    return this.#ids.find(agentVersionId) !== undefined;
  }

  /** Versions that raced, or reigned. */
  honoured(): string[] {
    return [...this.#honours.keys()].map((version) => this.#ids.textOf(version));
  }

  /** Versions of any state submitted after this instant; nobody asks for an earlier one later. */
  submittedSince(atUs: number): number {
    return this.#submissions.since(atUs);
  }

  /** The row as it is now, whatever it was before. */
  put(row: BoardRow): void {
    const version = this.#ids.find(row.agentVersionId) ?? this.#added(row);
    const agent = this.#agent.get(version);
    if (this.#isShown(version)) {
      this.#ranking.remove(version);
      this.#miners.hide(agent);
    }
    this.#write(version, row);
    if (this.#isShown(version)) {
      this.#ranking.add(version);
      this.#miners.show(agent);
    }
    this.#contenders.put(this.#miners.minerOf(agent), version, row);
  }

  /** Of one instant, however long the search took. */
  async page(query: BoardQuery, pause: () => Promise<void>): Promise<BoardPage> {
    const { search } = query;
    if (search === undefined) return this.#pageOf(query, undefined);
    return await this.#miners.search(search, pause, (hits) => this.#pageOf(query, hits));
  }

  #pageOf(query: BoardQuery, hits: Hits | undefined): BoardPage {
    const places = this.#placesOf(query, hits);
    return {
      total: hits?.total ?? this.#ranking.size,
      uniqueMiners: this.#miners.shownCount,
      rows: places.map((place) => this.#rowAt(place, query.isSuiteActive)),
    };
  }

  /** By hotkey, the version that would race if qualifying closed now. */
  wouldRace(hotkeys: Iterable<string>, rules: ContenderRules): ReadonlyMap<string, string> {
    const chosen = new Map<string, string>();
    for (const hotkey of hotkeys) {
      const miner = this.#miners.find(hotkey);
      const version = miner === undefined ? undefined : this.#contenders.choiceOf(miner, rules);
      if (version !== undefined) chosen.set(hotkey, this.#ids.textOf(version));
    }
    return chosen;
  }

  /** The race or the reign is another one now. */
  forgetChoices(): void {
    this.#contenders.forget();
  }

  #claims(): Claims {
    return {
      ableOf: (miner) => this.#ableOf(miner),
      compare: (left, right) => this.#compareClaims(left, right),
      isHonoured: (version) => this.#honours.has(version),
      claimOf: (version) => this.#claimOf(version),
    };
  }

  *#ableOf(miner: number): Generator<number> {
    for (const version of this.#miners.versionsOf(miner)) {
      const isEliminated = !Number.isNaN(this.#eliminatedAt.get(version));
      if (this.#isEligible.get(version) === 1 && !isEliminated) yield version;
    }
  }

  #claimOf(version: number): Claim {
    const { isReigning = false, isSurvivor = false } = this.#honours.get(version) ?? {};
    return {
      agentVersionId: this.#ids.textOf(version),
      minerHotkey: this.#miners.hotkeyOf(this.#miners.minerOf(this.#agent.get(version))),
      qualifyingScore: scoreOf(this.#score.get(version))?.toFixed(4) ?? null,
      submittedAtUs: this.#submittedAt.get(version),
      isReigning,
      isSurvivor,
    };
  }

  #compareClaims(left: number, right: number): number {
    return (
      this.#score.get(right) - this.#score.get(left) ||
      this.#submittedAt.get(right) - this.#submittedAt.get(left) ||
      this.#ids.compare(left, right)
    );
  }

  #added(row: BoardRow): number {
    const version = this.#ids.add(row.agentVersionId);
    this.#agent.set(version, this.#miners.addVersion(row, version));
    this.#number.set(version, row.versionNumber);
    this.#submittedAt.set(version, row.submittedAtUs);
    this.#isEligible.set(version, 0);
    this.#submissions.add(row.submittedAtUs);
    return version;
  }

  #write(version: number, row: BoardRow): void {
    this.#isEligible.set(version, row.isEligible ? 1 : 0);
    this.#score.set(version, row.qualifyingScore ?? none);
    this.#finalScore.set(version, row.finalScore ?? none);
    this.#scoreLow.set(version, row.scoreLow ?? none);
    this.#scoreHigh.set(version, row.scoreHigh ?? none);
    this.#eligibleAt.set(version, row.eligibleAtUs ?? Number.NaN);
    this.#eliminatedAt.set(version, row.eliminatedAtUs ?? Number.NaN);
    const { raceScore, weightedScore, topAt, isReigning, isSurvivor } = row;
    const hasNone = raceScore === null && topAt === null && !isSurvivor;
    if (hasNone) this.#honours.delete(version);
    else this.#honours.set(version, { raceScore, weightedScore, topAt, isReigning, isSurvivor });
  }

  #isShown(version: number): boolean {
    return this.#isEligible.get(version) === 1 && this.#score.get(version) !== none;
  }

  #placesOf({ offset, limit }: BoardQuery, hits: Hits | undefined): number[] {
    if (hits === undefined) {
      const end = Math.min(offset + limit, this.#ranking.size);
      return Array.from({ length: Math.max(0, end - offset) }, (_, at) => offset + at);
    }
    if (offset >= hits.total) return [];
    return hits.total <= fewHits
      ? this.#placesOfFew(hits).slice(offset, offset + limit)
      : this.#placesOfMany(hits, offset, limit);
  }

  #placesOfFew({ agents }: Hits): number[] {
    const places: number[] = [];
    for (let agent = agents.indexOf(1); agent >= 0; agent = agents.indexOf(1, agent + 1)) {
      for (const version of this.#miners.versionsOfAgent(agent)) {
        if (this.#isShown(version)) places.push(this.#ranking.placeOf(version));
      }
    }
    return places.sort((left, right) => left - right);
  }

  #placesOfMany({ agents }: Hits, offset: number, limit: number): number[] {
    const places: number[] = [];
    const agentOf = this.#agent.values;
    for (let place = 0, seen = 0; place < this.#ranking.size && places.length < limit; place += 1) {
      if (agents[agentOf[this.#ranking.at(place)] ?? 0] !== 1) continue;
      if (seen >= offset) places.push(place);
      seen += 1;
    }
    return places;
  }

  #rowAt(place: number, isSuiteActive: boolean): LeaderboardRow {
    const version = this.#ranking.at(place);
    const agent = this.#agent.get(version);
    const honours = this.#honours.get(version);
    const miner = this.#miners.minerOf(agent);
    const topAt = honours?.topAt ?? null;
    const isMinerBanned = this.#contenders.isBanned(miner);
    return {
      rank: place + 1,
      agentVersionId: this.#ids.textOf(version),
      agentName: this.#miners.nameOf(agent),
      minerHotkey: this.#miners.hotkeyOf(miner),
      versionNumber: this.#number.get(version),
      state: 'ELIGIBLE',
      finalScore: scoreOf(this.#finalScore.get(version)),
      qualifyingScore: scoreOf(this.#score.get(version)),
      raceScore: honours?.raceScore ?? null,
      weightedScore: honours?.weightedScore ?? null,
      scoreLow: scoreOf(this.#scoreLow.get(version)),
      scoreHigh: scoreOf(this.#scoreHigh.get(version)),
      isCurrentTop: honours?.isReigning === true && !isMinerBanned && isSuiteActive,
      wasTop: topAt !== null,
      topAt,
      eligibleAt: Math.floor(this.#eligibleAt.get(version) / usPerMs),
      eliminatedAt: msOf(this.#eliminatedAt.get(version)),
      isMinerBanned,
    };
  }
}

function scoreOf(units: number): number | null {
  return units === none ? null : units / unitsPerOne;
}

function msOf(us: number): number | null {
  return Number.isNaN(us) ? null : Math.floor(us / usPerMs);
}
