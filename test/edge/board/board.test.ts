import test from 'ava';
import { Board } from '../../../apps/edge/board/board.ts';
import type { BoardRow } from '../../../apps/edge/reads/board-rows.ts';

const count = 40_000;
const miners = 3_000;
const noWait = async () => undefined;
const now = () => ({ nowUs: 0, topId: undefined });

/** Numbers that look like chance and are the same each time (mulberry32). */
function* drawn(): Generator<number> {
  for (let state = 1; ; ) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    yield (mixed ^ (mixed >>> 14)) >>> 0;
  }
}

const chance = drawn();
const below = (max: number) => (chance.next().value ?? 0) % max;
const hex = (digits: number) =>
  Array.from({ length: digits }, () => below(16).toString(16)).join('');

function aRow(n: number): BoardRow {
  const score = below(5) === 0 ? null : below(2_000);
  return {
    agentVersionId: `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    // Half of them by themselves, so that there are more than are searched at once.
    agentName:
      below(2) === 0 ? `Careful agent ${n}` : (['Bold', 'Quick', 'careful'][below(3)] ?? ''),
    minerHotkey: `5Hot${below(miners)}`,
    versionNumber: n,
    isEligible: below(10) > 0,
    qualifyingScore: score,
    finalScore: score,
    scoreLow: null,
    scoreHigh: null,
    submittedAtUs: below(1_000_000),
    eligibleAtUs: 1_000,
    eliminatedAtUs: null,
    isMinerBanned: false,
    isPinned: false,
    raceNumber: null,
    raceScore: null,
    weightedScore: null,
    raceScoreLow: null,
    raceScoreHigh: null,
    raceReleasedAtUs: null,
    isSurvivor: false,
    topAt: null,
    isReigning: false,
  };
}

/** The board as a list, by the rules in their plainest words. */
function plainly(rows: Iterable<BoardRow>): readonly BoardRow[] {
  return [...rows]
    .filter((row) => row.isEligible && row.qualifyingScore !== null)
    .sort(
      (left, right) =>
        (right.qualifyingScore ?? 0) - (left.qualifyingScore ?? 0) ||
        (left.agentVersionId < right.agentVersionId ? -1 : 1),
    );
}

const matches = (row: BoardRow, search: string) =>
  row.agentName.toLowerCase().includes(search) || row.minerHotkey.toLowerCase().startsWith(search);

test('a board of many versions, most of which change, is a sorted list', async (t) => {
  const board = new Board(0);
  const rows = new Map<string, BoardRow>();
  for (let n = 0; n < count; n += 1) {
    const row = aRow(n);
    rows.set(row.agentVersionId, row);
    board.put(row);
  }
  for (const row of [...rows.values()]) {
    if (below(3) === 0) continue;
    const { isEligible, qualifyingScore } = aRow(0);
    const changed = { ...row, isEligible, qualifyingScore };
    rows.set(row.agentVersionId, changed);
    board.put(changed);
  }

  const all = plainly(rows.values());
  const uniqueMiners = new Set(all.map(({ minerHotkey }) => minerHotkey)).size;
  const searches = [
    'careful',
    'agent 3999',
    '5hot12',
    '5HOT',
    'quick5',
    'bold',
    '2',
    'fulb',
    'zebra',
  ];
  for (const search of [undefined, ...searches]) {
    const wanted = search?.toLowerCase();
    const found = all
      .map((row, at) => ({ rank: at + 1, row }))
      .filter(({ row }) => wanted === undefined || matches(row, wanted));
    for (const offset of [0, 1, 5_000, Math.max(0, found.length - 3), found.length]) {
      const page = await board.page({ by: 'qualifying', limit: 50, offset, search }, now, noWait);
      t.is(page.total, found.length, search);
      t.is(page.uniqueMiners, uniqueMiners);
      t.deepEqual(
        page.rows.map(({ rank, agentVersionId, agentName, minerHotkey, qualifyingScore }) => [
          rank,
          agentVersionId,
          ...[agentName, minerHotkey, qualifyingScore],
        ]),
        found
          .slice(offset, offset + 50)
          .map(({ rank, row }) => [
            rank,
            row.agentVersionId,
            ...[row.agentName, row.minerHotkey, (row.qualifyingScore ?? 0) / 10_000],
          ]),
      );
    }
  }
  for (const sinceUs of [100_000, 500_000, 999_990, 2_000_000]) {
    const since = [...rows.values()].filter((row) => row.submittedAtUs > sinceUs).length;
    t.is(board.submittedSince(sinceUs), since);
  }
});

test('names that come while a search lets others through are searched as well', async (t) => {
  const board = new Board(0);
  const named = (n: number) => ({ ...aRow(n), isEligible: true, qualifyingScore: 1 });
  for (let n = 0; n < count; n += 1) board.put({ ...named(n), agentName: `agent ${n}` });
  let added = 0;
  const query = { by: 'qualifying', limit: 9, offset: 0, search: 'late' } as const;
  const page = await board.page(query, now, async () => {
    added += 1;
    board.put({ ...named(count + added), agentName: `late ${added}` });
  });
  t.true(added > 0);
  t.deepEqual([page.total, page.rows.length], [added, added]);
});

test('a version that its miner unpinned races no more for a better one of the same miner', (t) => {
  const board = new Board(0);
  const of = { ...aRow(1), minerHotkey: 'miner', isEligible: true, raceScore: null };
  const worse = { ...of, qualifyingScore: 7_000, isPinned: true };
  const better = { ...of, agentVersionId: aRow(2).agentVersionId, qualifyingScore: 9_000 };
  const racing = () =>
    board.wouldRace(['miner'], { suiteId: 1, qualifyingThreshold: '0.5500' }).get('miner');
  for (const row of [worse, better]) board.put(row);
  t.is(racing(), worse.agentVersionId);

  board.put({ ...worse, isPinned: false });
  t.is(racing(), better.agentVersionId);
});

test('of two with the same Overall the race score decides, also where it alone changes', async (t) => {
  const board = new Board(0);
  const raced = (raceScore: number) => ({
    ...aRow(raceScore),
    ...{ isEligible: true, raceNumber: 1, raceScore, weightedScore: 6_000 },
  });
  const [first, second] = [raced(5_000), raced(4_000)];
  for (const row of [first, second]) board.put(row);
  const order = async () => {
    const query = { by: 'race', limit: 9, offset: 0, search: undefined } as const;
    const { rows } = await board.page(query, now, noWait);
    return rows.map(({ agentVersionId }) => agentVersionId);
  };
  t.deepEqual(await order(), [first.agentVersionId, second.agentVersionId]);

  for (const raceScore of [5_100, 5_200]) {
    board.put({ ...second, raceScore });
    t.deepEqual(await order(), [second.agentVersionId, first.agentVersionId], `${raceScore}`);
  }
});
