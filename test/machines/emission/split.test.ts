import test from 'ava';
import fc from 'fast-check';
import { weights } from '../../../apps/verify/live/race-arithmetic.ts';
import { type Payees, splitEmission, unitsPerRace } from '../../../machines/emission/split.ts';
import { emissionWeights, headWeights } from '../../../machines/emission/weights.ts';
import { inAnyOrder, rawScore, versionId } from '../../support/race-fields.ts';

const top = { agentVersionId: versionId(99), minerHotkey: 'top' };
const survivor = (index: number, raw: string) => ({
  ...{ agentVersionId: versionId(index), minerHotkey: `miner-${index}`, rawScore: raw },
});

const table: readonly (readonly [number, bigint, bigint, bigint])[] = [
  [0, 0n, 65_535n, 0n],
  [10_000, 105n, 65_535n, 557n],
  [250_000, 1_000n, 65_535n, 20_845n],
  [750_000, 15n, 21_850n, 65_535n],
  [500_000, 15n, 65_550n, 65_535n],
  [1_000_000, 0n, 0n, 65_535n],
  [1_000_000, 1_000n, 0n, 65_535n],
  // A tail heavier than the burn's share leaves nothing to burn.
  [250_000, 30_000n, 65_535n, 0n],
];

for (const [burnRateMicro, tail, top, burn] of table) {
  test(`burning ${burnRateMicro / 1e6} beside a tail of ${tail} weighs ${top}, ${burn}`, (t) => {
    t.deepEqual(headWeights(burnRateMicro, tail), { burn, top });
  });
}

test('without a top its share is burned and the tail stays', (t) => {
  t.deepEqual(emissionWeights({ burnRateMicro: 0, hasTop: false, tailCount: 3 }), {
    ...{ burn: 65_535n, top: null, tail: [3n, 2n, 1n] },
  });
});

test('the better survivor has the greater part, of equals the smaller id', (t) => {
  const survivors = [survivor(3, '0.5000'), survivor(1, '0.5000'), survivor(2, '0.7000')];
  const parts = splitEmission({ burnRateMicro: 0, top, survivors });

  t.deepEqual(
    parts.map(({ position, seat, minerHotkey, weight }) => [position, seat, minerHotkey, weight]),
    [
      [0, 'BURN', null, '0'],
      [1, 'TOP', 'top', '65535'],
      [2, 'TAIL', 'miner-2', '3'],
      [3, 'TAIL', 'miner-1', '2'],
      [4, 'TAIL', 'miner-3', '1'],
    ],
  );
});

test('what rounding leaves over goes to the burn, or to the top where nothing is burned', (t) => {
  const survivors = [survivor(1, '0.5000')];
  const unitsOf = (payees: Payees) => splitEmission(payees).map(({ units }) => BigInt(units));

  const both = [...survivors, survivor(2, '0.4000')];
  const [second, third] = [2n, 1n].map((weight) => (unitsPerRace * weight) / 65_538n);
  t.deepEqual(unitsOf({ burnRateMicro: 0, top, survivors: both }), [
    ...[0n, unitsPerRace - (second ?? 0n) - (third ?? 0n)],
    ...[second ?? 0n, third ?? 0n],
  ]);
  t.deepEqual(unitsOf({ burnRateMicro: 0, top: null, survivors: [] }), [unitsPerRace]);
  t.deepEqual(unitsOf({ burnRateMicro: 0, top, survivors: [] }), [0n, unitsPerRace]);
  const [burn = 0n, ofTop = 0n, tail = 0n] = unitsOf({ burnRateMicro: 500_000, top, survivors });
  const total = 65_535n + 65_536n + 1n;
  t.is(tail, unitsPerRace / total);
  t.is(ofTop, (unitsPerRace * 65_536n) / total);
  t.is(burn, unitsPerRace - ofTop - tail);
});

const payees: fc.Arbitrary<Payees> = fc
  .record({
    burnRateMicro: fc.oneof(fc.constantFrom(0, 1, 500_000, 999_999, 1_000_000), fc.nat(1_000_000)),
    hasTop: fc.boolean(),
    survivors: fc
      .array(rawScore, { maxLength: 50 })
      .map((scores) => scores.map((raw, index) => survivor(index, raw))),
  })
  .map(({ hasTop, ...rest }) => ({ ...rest, top: hasTop ? top : null }));

test("the parts of a race are all of it, none is negative, and each is its weight's", (t) => {
  const property = fc.property(payees, (given) => {
    const parts = splitEmission(given);
    const units = parts.map((part) => BigInt(part.units));
    const whole = parts.reduce((sum, { weight }) => sum + BigInt(weight), 0n);
    t.is(
      units.reduce((sum, one) => sum + one, 0n),
      unitsPerRace,
    );
    const others = weights(BigInt(given.burnRateMicro), given.survivors.length, given.top !== null);
    const expected = [
      others.burn,
      ...(others.top === undefined ? [] : [others.top]),
      ...others.tail,
    ];
    t.deepEqual(
      parts.map(({ weight }) => BigInt(weight)),
      expected,
    );
    const rests = parts.map(({ weight }, index) => {
      return (units[index] ?? 0n) - (BigInt(weight) * unitsPerRace) / whole;
    });
    const taker = others.burn > 0n ? 0 : 1;
    t.true(rests.every((rest, index) => rest >= 0n && (rest === 0n || index === taker)));
  });
  t.notThrows(() => fc.assert(property));
});

test('a split does not depend on the order of the survivors', (t) => {
  const some = payees.chain((given) =>
    inAnyOrder(fc.constant([...given.survivors])).map(([, shuffled]) => [given, shuffled] as const),
  );
  const property = fc.property(some, ([given, shuffled]) => {
    t.deepEqual(splitEmission({ ...given, survivors: shuffled }), splitEmission(given));
  });
  t.notThrows(() => fc.assert(property));
});
