import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { refusal } from '../../../machines/refusal.ts';
import { SharedLoads } from '../public-reads/shared-loads.ts';
import {
  type BoardNews,
  type BoardRow,
  boardRows,
  eligibleRows,
  newsSince,
  racedSince,
  remarkableRows,
  type Seen,
} from '../reads/board-rows.ts';
import { type OpenRace, openRaceOf } from '../reads/race-field.ts';
import { activeSuite, type SuiteRow, suiteById } from '../reads/suites.ts';
import { type TopView, topView } from '../reads/top.ts';
import { Board, type BoardPage, type BoardQuery } from './board.ts';

interface BoardsQuery extends BoardQuery {
  /** The active one unless told. */
  readonly suiteId: number | undefined;
}

interface BoardAnswer extends BoardPage {
  readonly suite: SuiteRow;
  readonly top: TopView;
  readonly submitted24h: number;
  /** By hotkey, of those shown, the version that races now, or would. */
  readonly racing: ReadonlyMap<string, string>;
}

/** A board, and up to when it is current. */
interface LiveBoard {
  readonly board: Board;
  seen: Seen;
  nowUs: number;
  suite: SuiteRow;
  top: TopView;
  race: OpenRace | undefined;
}

/** What the database keeps of changes is twice as old. */
const seenMsMax = 30 * 60_000;
/** More are read faster as a whole. */
const newsMax = 20_000;
/** Between two, others are let through; a few milliseconds' worth. */
const rowsAtOnce = 1_000;
/** A million rows from a cold disk. */
const loadMs = 120_000;
const dayUs = 24 * 3_600_000_000;
/** Of all boards together: old suites are given up first, and are loaded anew where somebody asks. */
const versionsMax = 2_500_000;
const boardsMax = 16;

const pause = () => new Promise<void>((go) => setImmediate(go));

/**
 * The boards, in memory.
 *
 * 1. Before each answer the database is asked what was committed since the last one: what is shown is
 *    never older than the question, on any edge. Those who ask at once share it.
 * 2. A board is dropped and loaded anew when the server was started again, when too much has changed, or
 *    when it was not asked for so long that changes may be forgotten; and with the next question where
 *    a change could not be put into it.
 */
export class Boards {
  readonly #sql: Sql;
  /** The one whose last use is longest ago first. */
  readonly #boards = new Map<number, LiveBoard>();
  readonly #updates = new SharedLoads<LiveBoard | undefined>();
  #activeId: number | undefined;
  #lastUsedId: number | undefined;
  #loading: Promise<unknown> = Promise.resolve();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * @returns undefined while no suite is active and none was named
   * @throws SUITE_NOT_FOUND for one that does not exist
   */
  async read(query: BoardsQuery): Promise<BoardAnswer | undefined> {
    const live = await this.#current(query.suiteId);
    if (live === undefined) return undefined;
    const moment = () => ({ nowUs: live.nowUs, topId: live.top.top?.agentVersionId });
    const page = await live.board.page(query, moment, pause);
    return {
      ...page,
      suite: live.suite,
      top: { ...live.top, nowMs: Math.floor(live.nowUs / 1000) },
      submitted24h: live.board.submittedSince(live.nowUs - dayUs),
      racing: racingOf(live, page),
    };
  }

  async #current(suiteId: number | undefined): Promise<LiveBoard | undefined> {
    if (suiteId !== undefined) {
      const named = await this.#update(suiteId);
      if (named === undefined) throw refusal('SUITE_NOT_FOUND');
      return named;
    }
    // Most often it still is; whether it is was asked along with the rest.
    const last = this.#activeId === undefined ? undefined : await this.#update(this.#activeId);
    if (last?.suite.isActive === true) return last;
    this.#activeId = (await activeSuite(this.#sql))?.suiteId;
    return this.#activeId === undefined ? undefined : await this.#update(this.#activeId);
  }

  /** Undefined for a suite that does not exist. */
  async #update(suiteId: number): Promise<LiveBoard | undefined> {
    return await this.#updates.get(String(suiteId), async () => {
      const live = this.#boards.get(suiteId);
      const isCurrent = live !== undefined && (await this.#caughtUp(live));
      const current = isCurrent ? live : await this.#loadInTurn(suiteId);
      this.#keep(suiteId, current);
      return current;
    });
  }

  /** False where it has to be loaded anew. */
  async #caughtUp(live: LiveBoard): Promise<boolean> {
    const news = await newsSince(this.#sql, live.seen.snapshot);
    if (!follows(live.seen, news)) return false;
    const { versions, hotkeys, isWide } = news;
    if (versions.length + hotkeys.length > newsMax) return false;
    if (isWide || versions.length + hotkeys.length > 0) return await this.#apply(live);
    live.seen = news.seen;
    live.nowUs = news.nowUs;
    return true;
  }

  /** All of it of one moment, so of one that is newer than what said that there is something. */
  async #apply(live: LiveBoard): Promise<boolean> {
    const { board, suite } = live;
    const read = await this.#atOneMoment(async (tx) => {
      const news = await newsSince(tx, live.seen.snapshot);
      const versions = new Set(news.versions);
      if (news.isWide) {
        // Of a race that has ended: whom it scored, and who was in the one before it, where survivors are from.
        const raced = await racedSince(tx, suite.suiteId, board.lastRaceNumber);
        for (const each of raced) versions.add(each);
      }
      const of = { versions: [...versions], hotkeys: news.hotkeys };
      const rows = await boardRows(tx, suite.suiteId, of);
      // A reign may also be ended by what befalls its version or its miner.
      const around = news.isWide ? await surroundings(tx, suite.suiteId) : live;
      return { news, rows, around: { ...around, top: await topView(tx) } };
    });
    const { news, rows, around } = read;
    if (!follows(live.seen, news) || around.suite === undefined) return false;
    this.#putAll(live, rows, news);
    if (news.isWide) board.forgetChoices();
    live.seen = news.seen;
    live.nowUs = news.nowUs;
    live.suite = around.suite;
    live.race = around.race;
    live.top = around.top;
    return true;
  }

  /** All of them, or the board is forgotten: one that took a row by half would never be right again. */
  #putAll({ board, suite }: LiveBoard, rows: readonly BoardRow[], { nowUs }: BoardNews): void {
    try {
      for (const row of rows) {
        const isLate = row.submittedAtUs > nowUs - dayUs;
        if (row.isEligible || isLate || board.holds(row.agentVersionId)) board.put(row);
      }
    } catch (error) {
      this.#boards.delete(suite.suiteId);
      throw error;
    }
  }

  /** One at a time: each is a million rows. */
  async #loadInTurn(suiteId: number): Promise<LiveBoard | undefined> {
    const loaded = this.#loading.then(() => this.#load(suiteId));
    this.#loading = loaded.catch(() => undefined);
    return await loaded;
  }

  async #load(suiteId: number): Promise<LiveBoard | undefined> {
    return await this.#atOneMoment(
      async (tx) => {
        const { suite, race } = await surroundings(tx, suiteId);
        if (suite === undefined) return undefined;
        const top = await topView(tx);
        const { seen, nowUs } = await newsSince(tx, undefined);
        const board = new Board(nowUs - dayUs);
        const remarkable = { suiteId, submittedAfterUs: nowUs - dayUs, rowsAtOnce };
        await fill(board, eligibleRows(tx, suiteId, rowsAtOnce));
        await fill(board, remarkableRows(tx, remarkable));
        return { board, seen, nowUs, suite, top, race };
      },
      { statementTimeoutMs: loadMs },
    );
  }

  async #atOneMoment<T>(read: (tx: Sql) => Promise<T>, limits = {}): Promise<T> {
    const options = { isolation: 'repeatable read', readOnly: true, ...limits } as const;
    // Reads need nothing of a pool but its statements.
    return await transaction(this.#sql, options, (tx) => read(tx as unknown as Sql));
  }

  #keep(suiteId: number, live: LiveBoard | undefined): void {
    if (suiteId !== this.#lastUsedId || live === undefined) this.#boards.delete(suiteId);
    if (live === undefined) return;
    this.#boards.set(suiteId, live);
    this.#lastUsedId = suiteId;
    let versions = 0;
    for (const { board } of this.#boards.values()) versions += board.size;
    for (const [oldest, { board }] of this.#boards) {
      const isRoom = versions <= versionsMax && this.#boards.size <= boardsMax;
      if (isRoom || oldest === suiteId) return;
      this.#boards.delete(oldest);
      versions -= board.size;
    }
  }
}

async function fill(board: Board, batches: AsyncIterable<readonly BoardRow[]>): Promise<void> {
  for await (const rows of batches) {
    for (const row of rows) board.put(row);
    await pause();
  }
}

/** Whether all that changed between the two is known. */
function follows(seen: Seen, { seen: now }: BoardNews): boolean {
  return now.startedAt === seen.startedAt && now.wallMs - seen.wallMs < seenMsMax;
}

async function surroundings(sql: Sql, suiteId: number) {
  const suite = await suiteById(sql, suiteId);
  return { suite, race: suite && (await openRaceOf(sql, suiteId)) };
}

function racingOf({ board, race }: LiveBoard, { rows }: BoardPage): ReadonlyMap<string, string> {
  if (race === undefined) return new Map();
  const hotkeys = new Set(rows.map(({ minerHotkey }) => minerHotkey));
  return race.entrants ?? board.wouldRace(hotkeys, race);
}
