import test from 'ava';
import fc from 'fast-check';
import { placesOnBoard } from '../../../actors/services/operator/rejudging/places.ts';
import { fourPlaces } from '../../../machines/scoring/exact.ts';
import { testDatabase } from '../../support/cluster.ts';
import { plainPlaces } from '../../support/plain-board.ts';
import { plantSuite, plantVersion } from '../../support/planted-races.ts';

const textOf = (score: number) => fourPlaces(BigInt(score));

test('the database counts who is ahead as the sorted board has it, with equal scores and without', async (t) => {
  const { sql } = await testDatabase(t);
  const [suiteId, otherSuite] = [await plantSuite(sql), await plantSuite(sql)];
  const scores = Array.from(
    { length: 40 },
    (_, index) => [0, 10_000, 5000, 5001, 5000][index % 5] ?? 0,
  );
  const board: { agentVersionId: string; was: number }[] = [];
  for (const [index, was] of scores.entries()) {
    const hotkey = `miner-${index}`;
    const score = textOf(was);
    board.push({ agentVersionId: await plantVersion(sql, { suiteId, hotkey, score }), was });
    await plantVersion(sql, { suiteId: otherSuite, hotkey, score });
    await plantVersion(sql, { suiteId, hotkey, score, state: 'DISCARDED' });
    await plantVersion(sql, { suiteId, hotkey, score: null });
  }
  const anyScore = fc.constantFrom(0, 1, 4999, 5000, 5001, 9999, 10_000);
  const anyMoves = fc.array(fc.record({ at: fc.nat(39), becomes: anyScore }), { maxLength: 12 });
  const property = fc.asyncProperty(anyMoves, async (chosen) => {
    const moved = new Map(chosen.map(({ at, becomes }) => [board[at]?.agentVersionId, becomes]));
    const after = board.map((one) => ({
      ...one,
      becomes: moved.get(one.agentVersionId) ?? one.was,
    }));
    const listed = after.filter(({ agentVersionId }) => moved.has(agentVersionId));
    const scored = listed.map(({ agentVersionId, was, becomes }) => ({
      agentVersionId,
      isOnBoard: true,
      score: { was: textOf(was), becomes: textOf(becomes) },
    }));

    const places = await placesOnBoard(sql, suiteId, scored);

    const ids = new Set(listed.map(({ agentVersionId }) => agentVersionId));
    t.deepEqual(places, plainPlaces(after, ids));
  });
  await t.notThrowsAsync(fc.assert(property, { numRuns: 40 }));
});
