import test from 'ava';
import fc from 'fast-check';
import { byRawScore, eliminatedOf } from '../../../machines/scoring/elimination.ts';
import { inAnyOrder, rawScore, versionId } from '../../support/race-fields.ts';

const share = 650_000;
const finishers = (...scores: readonly string[]) =>
  scores.map((raw, index) => ({ agentVersionId: versionId(index), rawScore: raw }));
const equalOnes = (count: number) => finishers(...Array.from({ length: count }, () => '0.5000'));
const nobody: ReadonlySet<string> = new Set();

for (const [of, gone] of [
  [1, 0],
  [2, 1],
  [3, 1],
  [10, 6],
  [340, 221],
] as const) {
  test(`${gone} of ${of} finishers are eliminated`, (t) => {
    t.is(eliminatedOf(equalOnes(of), share, nobody).size, gone);
  });
}

test('the worst by raw score go, of equals the one with the larger id', (t) => {
  const field = finishers('0.9000', '0.1000', '0.5000', '0.5000', '0.7000');

  t.deepEqual([...eliminatedOf(field, share, nobody)], [versionId(1), versionId(3), versionId(2)]);
});

test('in place of the winner or the top the next worst goes', (t) => {
  const field = finishers('0.9000', '0.1000', '0.2000', '0.5000', '0.7000');
  const spared = new Set([versionId(1), versionId(3)]);

  t.deepEqual([...eliminatedOf(field, share, spared)], [versionId(2), versionId(4), versionId(0)]);
});

test('when nobody else is left fewer go', (t) => {
  const field = finishers('0.9000', '0.1000');

  t.is(eliminatedOf(field, 1_000_000, new Set([versionId(0)])).size, 1);
});

test('elimination takes its number, the worst, never a spared one, in any order', (t) => {
  const scores = fc
    .array(rawScore, { minLength: 2, maxLength: 30 })
    .map((list) => finishers(...list));
  const some = inAnyOrder(scores).chain((field) =>
    fc.tuple(fc.constant(field), fc.subarray(field[0], { maxLength: 2 }), fc.nat(1_000_000)),
  );
  const property = fc.property(some, ([[field, shuffled], sparedOnes, shareMicro]) => {
    const spared = new Set(sparedOnes.map(({ agentVersionId }) => agentVersionId));
    const gone = eliminatedOf(field, shareMicro, spared);
    const [out, stay] = [true, false].map((isOut) =>
      field.filter(
        ({ agentVersionId: id }) => gone.has(id) === isOut && (isOut || !spared.has(id)),
      ),
    );
    t.deepEqual([...eliminatedOf(shuffled, shareMicro, spared)].sort(), [...gone].sort());
    const wanted = Math.floor((field.length * shareMicro) / 1_000_000);
    t.is(gone.size, Math.min(wanted, field.length - spared.size));
    t.true(sparedOnes.every(({ agentVersionId }) => !gone.has(agentVersionId)));
    t.true(out?.every((worse) => stay?.every((better) => byRawScore(better, worse) < 0)));
  });
  t.notThrows(() => fc.assert(property));
});
