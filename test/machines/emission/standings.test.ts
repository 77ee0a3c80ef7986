import test from 'ava';
import fc from 'fast-check';
import { decideStandings } from '../../../machines/emission/decide.ts';
import { emission } from '../../../machines/emission/machine.ts';
import { splitEmission } from '../../../machines/emission/split.ts';
import { standingsOf, standingsText, weightVector } from '../../../machines/emission/standings.ts';
import { fold, unborn } from '../../../machines/kernel.ts';
import { inAnyOrder, rawScore, versionId } from '../../support/race-fields.ts';

const survivor = (index: number, raw: string) => ({
  ...{ agentVersionId: versionId(index), minerHotkey: `miner-${index}`, rawScore: raw },
});
const survivors = [survivor(3, '0.5000'), survivor(1, '0.5000'), survivor(2, '0.4890')];

test('standings are the top, the burn and the tail in its order', (t) => {
  const standings = standingsOf({ burnRateMicro: 10_000, topHotkey: 'miner-3', survivors });

  t.deepEqual(standings, {
    top_hotkey: 'miner-3',
    t_burn: 0.01,
    finishers: [
      { miner_hotkey: 'miner-1', agent_version_id: versionId(1), race_score: 0.5 },
      { miner_hotkey: 'miner-2', agent_version_id: versionId(2), race_score: 0.489 },
    ],
  });
});

test('before any race the standings are empty', (t) => {
  const standings = standingsOf({ burnRateMicro: 0, topHotkey: null, survivors: [] });

  t.is(standingsText(standings), '{"finishers":[],"t_burn":0,"top_hotkey":null}');
  t.deepEqual(weightVector(standings), [{ hotkey: null, weight: 65_535n }]);
});

test('numbers are written as their shortest decimals', (t) => {
  const told = standingsOf({
    burnRateMicro: 1,
    topHotkey: null,
    survivors: [survivor(1, '0.1000')],
  });

  t.regex(standingsText(told), /"race_score":0\.1[,}]/);
  t.regex(standingsText(told), /"t_burn":0\.000001[,}]/);
});

test('every burn rate and every score survives the way through the text', (t) => {
  const some = fc.tuple(fc.nat(1_000_000), rawScore);
  const property = fc.property(some, ([burnRateMicro, raw]) => {
    const standings = standingsOf({
      burnRateMicro,
      topHotkey: null,
      survivors: [survivor(1, raw)],
    });
    const { t_burn, finishers } = JSON.parse(standingsText(standings));
    return (
      t_burn.toFixed(6) === (burnRateMicro / 1e6).toFixed(6) &&
      finishers[0].race_score.toFixed(4) === raw
    );
  });
  t.notThrows(() => fc.assert(property));
});

test('a validator puts on chain the weights that the race was split by', (t) => {
  const scores = fc
    .array(rawScore, { maxLength: 20 })
    .map((list) => list.map((raw, index) => survivor(index, raw)));
  const some = fc.tuple(inAnyOrder(scores), fc.nat(1_000_000), fc.option(fc.nat(20)));
  const property = fc.property(some, ([[list, shuffled], burnRateMicro, topIndex]) => {
    const topHotkey = topIndex === null ? null : `miner-${topIndex}`;
    const top = topHotkey === null ? null : { agentVersionId: 'top', minerHotkey: topHotkey };

    const ground = { burnRateMicro, topHotkey };
    const text = standingsText(standingsOf({ ...ground, survivors: shuffled }));
    const vector = weightVector(JSON.parse(text));

    t.is(text, standingsText(standingsOf({ ...ground, survivors: list })));
    t.deepEqual(
      vector.map(({ hotkey, weight }) => [hotkey, weight.toString()]),
      splitEmission({ burnRateMicro, top, survivors: list }).map((part) => [
        part.minerHotkey,
        part.weight,
      ]),
    );
  });
  t.notThrows(() => fc.assert(property));
});

test('an epoch has its standings once', (t) => {
  const made = { epochIndex: 7, raceId: null, bodySha256: 'ab', at: 1000 };
  const facts = decideStandings(unborn(emission), made);
  const epoch = fold(emission, facts);

  t.is(epoch.value, 'made');
  t.deepEqual(epoch.context.made, made);
  t.deepEqual(decideStandings(epoch, { ...made, bodySha256: 'cd' }), []);
});
