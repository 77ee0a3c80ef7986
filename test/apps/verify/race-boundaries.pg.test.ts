import test from 'ava';
import { wrongElimination } from '../../../apps/verify/live/checks/race-elimination.ts';
import type { Entrant, Race } from '../../../apps/verify/live/checks/race-rows.ts';
import { wrongPromotion } from '../../../apps/verify/live/checks/race-top.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { versionId } from '../../support/race-fields.ts';

const race: Race = {
  raceId: versionId(900),
  suiteId: 1,
  raceNumber: 2,
  policy: {
    ...{ windowRaces: 3, eliminationShareMicro: 650_000, burnRateMicro: 0, requiredSuccesses: 2 },
    ...{ marginInitialMicro: 10_000, marginFloorMicro: 0, marginHalfLifeMs: 864_000_000 },
  },
  completedAt: new Date('2026-07-09T19:30:00Z'),
  winnerId: versionId(1),
  winnerScore: '0.4826',
  anchor: '0.4000',
  deviation: '0.0100',
  margin: '0.0095',
  challengedScore: '0.4731',
  promotedId: versionId(1),
};
const topId = versionId(2);

async function reigning(sql: Sql): Promise<void> {
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
      values (gen_random_uuid(), 1, ${topId}, 'miner', gen_random_uuid(), 0.4731, '2026-07-09T02:00Z')`;
  });
}

// Nearly no race of the simulator comes to stand exactly there (rules.md 3).
test('who reaches the margin to the last place beats the top, and who is one below it does not', async (t) => {
  const { sql } = await testDatabase(t);
  await reigning(sql);
  const flaws = (winnerScore: string, promotedId: string | null) =>
    wrongPromotion({ ...race, winnerScore, promotedId }, [], sql);

  t.deepEqual(await flaws('0.4826', versionId(1)), []);
  t.is((await flaws('0.4826', null)).length, 1);
  t.deepEqual(await flaws('0.4825', null), []);
  t.is((await flaws('0.4825', versionId(1))).length, 1);
});

test('of equal scores the larger ids are eliminated, and never more than the share', async (t) => {
  const { sql } = await testDatabase(t);
  await reigning(sql);
  // The winner, the top, and eight others.
  const flaws = (eliminated: readonly number[]) =>
    wrongElimination(race, entrants(eliminated), sql);

  t.deepEqual(await flaws([10, 9, 8, 7, 6, 5]), []);
  t.is((await flaws([3, 4, 5, 6, 7, 8])).length, 4);
  t.is((await flaws([10, 9, 8, 7, 6, 5, 4])).length, 1);
  t.is((await flaws([10, 9, 8, 7, 6])).length, 1);
});

function entrants(eliminated: readonly number[]): readonly Entrant[] {
  return Array.from({ length: 10 }, (_, index) => ({
    id: versionId(index + 1),
    hotkey: `miner-${index + 1}`,
    ...{ raw: '0.5000', overall: '0.5000', rank: index + 1, unfinishedReason: null, included: [] },
    isEliminated: eliminated.includes(index + 1),
  }));
}
