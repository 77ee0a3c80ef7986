import test from 'ava';
import {
  candidatesOfMiner,
  type MinerVersion,
  qualifyingNow,
} from '../../../actors/services/pins/miner-field.ts';
import { wouldRace } from '../../../actors/services/pins/selection.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { FieldCandidate } from '../../../machines/race/field.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addSuite } from '../../support/eval-desk.ts';
import { plantEntrant, plantRace, plantTop, plantVersion } from '../../support/planted-races.ts';

const miners = Array.from({ length: 40 }, (_, index) => `miner-${index}`);
const states = ['ELIGIBLE', 'ELIGIBLE', 'ELIGIBLE', 'DISCARDED', 'CANCELLED', 'QUEUED'];
const scores = ['0.3000', '0.5500', '0.7000', '0.7000', '0.9000'];

/** A row of places that is the same in every run. */
function* places(): Generator<number, never> {
  for (let seed = 20_260_708; ; ) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    yield seed >>> 8;
  }
}

/** Every mixture of what a close looks at: states, scores, survivors, a top, pins and bans. */
async function plantField(
  sql: Sql,
): Promise<{ readonly raceId: string; readonly suiteId: number }> {
  const [suiteId, former] = [await addSuite(sql), await addSuite(sql, 2)];
  const last = await plantRace(sql, { suiteId, raceNumber: 1, status: 'RACE_COMPLETE' });
  const raceId = await plantRace(sql, { suiteId, raceNumber: 2, status: 'QUALIFYING_OPEN' });
  const dice = places();
  const pick = <T>(from: readonly T[]): T => from[dice.next().value % from.length] as T;
  for (const hotkey of miners) {
    const versions: string[] = [];
    for (let count = 0; count < 3; count++) {
      const state = pick(states);
      versions.push(
        await plantVersion(sql, {
          ...{ hotkey, state, suiteId: pick([suiteId, suiteId, suiteId, former]) },
          score: state === 'QUEUED' ? null : pick(scores),
          isEliminated: pick([false, false, false, true]),
        }),
      );
    }
    const [first = '', second = '', third = ''] = versions;
    const raceScore = pick([null, '0.4000', '0.5000']);
    const entrant = { raceId: last, agentVersionId: pick([first, second]), raceScore };
    await plantEntrant(sql, { ...entrant, isEliminated: pick([true, false, false]) });
    const pinned = pick([null, first, second, third]);
    if (pinned !== null) {
      await sql`insert into race_pin values (${hotkey}, ${pinned}, rt.clock())`;
    }
    if (pick([false, false, false, false, true])) {
      await sql`insert into hotkey_ban values (${hotkey}, 'x', rt.clock())`;
    }
    if (hotkey === miners[7]) await plantTop(sql, last, first);
  }
  return { raceId, suiteId };
}

test('what each miner is told would race is what a close would fix', async (t) => {
  const { sql } = await testDatabase(t);
  const { raceId, suiteId } = await plantField(sql);
  const [row] = await sql<{ candidates: FieldCandidate[] }[]>`
    select rt.race_field(${raceId}) as candidates`;
  const field = selectField(row?.candidates ?? [], { suiteId, qualifyingThreshold: '0.5500' });
  t.true(field.entrants.length > 10);
  t.true(field.fallbacks.length > 3);

  const qualifying = await qualifyingNow(sql);
  t.is(qualifying?.race?.raceId, raceId);
  t.is(qualifying?.suiteId, suiteId);
  if (qualifying === undefined) return;
  const told = await Promise.all(
    miners.map(async (hotkey) => wouldRace(await candidatesOfMiner(sql, hotkey), qualifying)),
  );

  const racing = told.map((one) => one.racing).filter((one): one is MinerVersion => one !== null);
  const fallbacks = told.flatMap((one) => (one.fallback === null ? [] : [one.fallback]));
  const ids = (of: readonly { readonly agentVersionId: string }[]) =>
    of.map((one) => one.agentVersionId).sort();
  t.deepEqual(ids(racing), ids(field.entrants));
  const byHotkey = fallbacks.sort((one, two) => (one.minerHotkey < two.minerHotkey ? -1 : 1));
  t.deepEqual(byHotkey, [...field.fallbacks]);
});
