import type { BoardRow } from '../reads/board-rows.ts';
import { BoardOrder } from './board-order.ts';
import { Column } from './column.ts';
import { type Claim, type Claims, type ContenderRules, Contenders } from './contenders.ts';
import type { LeaderboardRow } from './leaderboard-row.ts';
import { type Hits, Miners } from './miners.ts';
import { Submissions } from './submissions.ts';
import { VersionIds } from './version-ids.ts';

/** For what the database holds as null. */
const none = -(2 ** 31);
const unitsPerOne = 10_000;
const usPerMs = 1000;

/** Of few versions: of those that raced, or reigned. */
type Honours = Pick<
  BoardRow,
  | 'isReigning'
  | 'isSurvivor'
  | 'raceReleasedAtUs'
  | 'raceScore'
  | 'raceScoreHigh'
  | 'raceScoreLow'
  | 'topAt'
  | 'weightedScore'
>;

export interface BoardPage {
  /** Versions that match. */
  readonly total: number;
  readonly uniqueMiners: number;
  readonly rows: readonly LeaderboardRow[];
}

export interface BoardQuery {
  /** The score that it is in order of. */
  readonly by: 'qualifying' | 'race';
  readonly limit: number;
  readonly offset: number;
  readonly search: string | undefined;
}

/** What rows say depends on it, too. */
interface Moment {
  readonly nowUs: number;
  /** The version that reigns now, of whatever suite. */
  readonly topId: string | undefined;
}

/**
 * The boards of one suite, by qualifying and by race: every version that is eligible, or was submitted
 * lately, as numbers in columns. Instants are microseconds, scores integers of 10^-4.
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
  readonly #orders = { qualifying: this.#byQualifying(), race: this.#byRace() };
  #lastRaceNumber = 0;

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

  /** The latest race that it knows a score of; zero before the first. */
  get lastRaceNumber(): number {
    return this.#lastRaceNumber;
  }

  /** Versions of any state submitted after this instant; nobody asks for an earlier one later. */
  submittedSince(atUs: number): number {
    return this.#submissions.since(atUs);
  }

  /** The row as it is now, whatever it was before. */
  put(row: BoardRow): void {
    const version = this.#ids.find(row.agentVersionId) ?? this.#added(row);
    const { qualifying, race } = this.#orders;
    const moved = [qualifying, race].filter((order) => order.isMovedBy(version, row));
    for (const order of moved) order.remove(version);
    this.#write(version, row);
    for (const order of moved) order.add(version);
    this.#contenders.put(this.#miners.minerOf(this.#agent.get(version)), version, row);
  }

  /** @param moment asked when the search is over, since the page is of one instant */
  async page(
    query: BoardQuery,
    moment: () => Moment,
    pause: () => Promise<void>,
  ): Promise<BoardPage> {
    const { by, search } = query;
    if (search === undefined) return this.#pageOf(query, moment(), undefined);
    const { ofAgent } = this.#orders[by];
    return await this.#miners.search(search, ofAgent, pause, (hits) =>
      this.#pageOf(query, moment(), hits),
    );
  }

  #pageOf(query: BoardQuery, moment: Moment, hits: Hits | undefined): BoardPage {
    const { by } = query;
    const order = this.#orders[by];
    return {
      total: hits?.total ?? order.size,
      uniqueMiners: order.minerCount,
      rows: order.places(query, hits).map((place) => {
        const version = order.at(place);
        const rank = place + 1;
        return { rank, ...this.#rowOf(version, moment), ...this.#boundsOf(version, by, moment) };
      }),
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

  #byQualifying(): BoardOrder {
    return new BoardOrder({
      miners: this.#miners,
      agentOf: this.#agent,
      isShown: (version) =>
        this.#isEligible.get(version) === 1 && this.#score.get(version) !== none,
      compare: (left, right) =>
        this.#score.get(right) - this.#score.get(left) || this.#ids.compare(left, right),
      isMovedBy: (version, row) =>
        this.#isTurnedBy(version, row) ||
        this.#score.get(version) !== (row.qualifyingScore ?? none),
    });
  }

  #byRace(): BoardOrder {
    const weighted = (version: number) => this.#honours.get(version)?.weightedScore ?? none;
    const raw = (version: number) => this.#honours.get(version)?.raceScore ?? none;
    return new BoardOrder({
      miners: this.#miners,
      agentOf: this.#agent,
      isShown: (version) => this.#isEligible.get(version) === 1 && weighted(version) !== none,
      compare: (left, right) =>
        weighted(right) - weighted(left) ||
        raw(right) - raw(left) ||
        this.#ids.compare(left, right),
      isMovedBy: (version, row) =>
        this.#isTurnedBy(version, row) ||
        weighted(version) !== (row.weightedScore ?? none) ||
        raw(version) !== (row.raceScore ?? none),
    });
  }

  /** Into one that is eligible, or into one that is not. */
  #isTurnedBy(version: number, { isEligible }: BoardRow): boolean {
    return (this.#isEligible.get(version) === 1) !== isEligible;
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
    this.#lastRaceNumber = Math.max(this.#lastRaceNumber, row.raceNumber ?? 0);
    const hasNone = row.raceScore === null && row.topAt === null && !row.isSurvivor;
    if (hasNone) this.#honours.delete(version);
    else this.#honours.set(version, honoursOf(row));
  }

  #rowOf(version: number, { topId }: Moment) {
    const agentVersionId = this.#ids.textOf(version);
    const agent = this.#agent.get(version);
    const honours = this.#honours.get(version);
    const miner = this.#miners.minerOf(agent);
    const topAt = honours?.topAt ?? null;
    return {
      agentVersionId,
      agentName: this.#miners.nameOf(agent),
      minerHotkey: this.#miners.hotkeyOf(miner),
      versionNumber: this.#number.get(version),
      state: 'ELIGIBLE',
      finalScore: scoreOf(this.#finalScore.get(version)),
      qualifyingScore: scoreOf(this.#score.get(version)),
      raceScore: scoreOf(honours?.raceScore ?? none),
      weightedScore: scoreOf(honours?.weightedScore ?? none),
      isCurrentTop: agentVersionId === topId,
      wasTop: topAt !== null,
      topAt,
      eligibleAt: Math.floor(this.#eligibleAt.get(version) / usPerMs),
      eliminatedAt: msOf(this.#eliminatedAt.get(version)),
      isMinerBanned: this.#contenders.isBanned(miner),
    };
  }

  /** Of a race they are told with its runs. */
  #boundsOf(version: number, by: BoardQuery['by'], { nowUs }: Moment) {
    if (by === 'qualifying') {
      const [low, high] = [this.#scoreLow.get(version), this.#scoreHigh.get(version)];
      return { scoreLow: scoreOf(low), scoreHigh: scoreOf(high) };
    }
    const {
      raceScoreLow,
      raceScoreHigh,
      raceReleasedAtUs = null,
    } = this.#honours.get(version) ?? {};
    const isReleased = raceReleasedAtUs !== null && raceReleasedAtUs <= nowUs;
    return {
      scoreLow: scoreOf((isReleased ? raceScoreLow : null) ?? none),
      scoreHigh: scoreOf((isReleased ? raceScoreHigh : null) ?? none),
    };
  }
}

function honoursOf(row: BoardRow): Honours {
  const { raceScore, weightedScore, raceScoreLow, raceScoreHigh, raceReleasedAtUs } = row;
  const { topAt, isReigning, isSurvivor } = row;
  return {
    ...{ raceScore, weightedScore, raceScoreLow, raceScoreHigh, raceReleasedAtUs },
    ...{ topAt, isReigning, isSurvivor },
  };
}

function scoreOf(units: number): number | null {
  return units === none ? null : units / unitsPerOne;
}

function msOf(us: number): number | null {
  return Number.isNaN(us) ? null : Math.floor(us / usPerMs);
}
