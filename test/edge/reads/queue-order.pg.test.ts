import test from 'ava';
import { pendingEvaluations } from '../../../apps/edge/reads/evaluations.ts';
import { waitingOf } from '../../../apps/edge/reads/waiting.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addWork } from '../../support/sealed-race.ts';
import { addActiveSuite, addRace, addVersion, trialId } from '../../support/trial-races.ts';

test('a race’s work is before qualifying work that was queued earlier, and each by its turn', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const entrants = ['late entrant', 'early entrant'].map((hotkey) => ({ hotkey }));
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants, status: 'RACE_RUNNING' });
  const minutesAgo = { 'late entrant': 1, 'early entrant': 2, 'late one': 10, 'early one': 20 };
  for (const [hotkey, minutes] of Object.entries(minutesAgo)) {
    const versionId = await addVersion(sql, suiteId, hotkey);
    const isEntrant = entrants.some((entrant) => entrant.hotkey === hotkey);
    const of = { versionId, suiteId, raceId: isEntrant ? raceId : null, included: 0 };
    const workItemId = await addWork(sql, of);
    await sql`
      update work_item set queue_order_at = rt.clock() - ${minutes} * interval '1 minute'
      where work_item_id = ${workItemId}`;
  }

  const queue = await pendingEvaluations(sql, { limit: 10, offset: 0 });
  const turns = ['early entrant', 'late entrant', 'early one', 'late one'];
  t.deepEqual(
    queue.map((row) => [row.minerHotkey, row.position, row.runsAhead]),
    turns.map((hotkey, before) => [hotkey, before + 1, before * 2]),
  );
  for (const [before, hotkey] of turns.entries()) {
    const stand = await waitingOf(sql, trialId(hotkey));
    t.like(stand, { itemsAhead: before, runsAhead: before * 2 }, hotkey);
  }
});
