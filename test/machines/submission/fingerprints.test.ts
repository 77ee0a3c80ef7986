import test from 'ava';
import fc from 'fast-check';
import {
  fingerprintsMax,
  fingerprintsOf,
  gramTokens,
  guaranteedRun,
} from '../../../machines/submission/fingerprints.ts';

const shape = (codes: readonly number[]) => {
  const lines = Uint32Array.from(codes, (_, index) => index + 1);
  return { codes: Uint32Array.from(codes), firstLines: lines, lastLines: lines };
};
const hashesOf = (codes: readonly number[]) => new Set(fingerprintsOf(shape(codes)).hashes);

// Few distinct codes, since ties and repetitions are what a window could get wrong.
const code = fc.nat({ max: 3 });
const codes = (lengths: { minLength: number; maxLength: number }) => fc.array(code, lengths);
const around = codes({ minLength: 0, maxLength: 60 });
const surroundings = fc.tuple(around, around);

test('a run as long as guaranteed shares a fingerprint wherever it stands', (t) => {
  const run = codes({ minLength: guaranteedRun, maxLength: guaranteedRun + 20 });
  const property = fc.property(run, surroundings, surroundings, (common, here, there) => {
    const left = hashesOf([...here[0], ...common, ...here[1]]);
    const right = hashesOf([...there[0], ...common, ...there[1]]);
    return !left.isDisjointFrom(right);
  });
  t.notThrows(() => fc.assert(property, { numRuns: 400 }));
});

test('files without a common run of a gram share no fingerprint', (t) => {
  const property = fc.property(
    codes({ minLength: gramTokens, maxLength: 200 }),
    codes({ minLength: gramTokens, maxLength: 200 }),
    (left, right) => hashesOf(left).isDisjointFrom(hashesOf(right.map((each) => each + 10))),
  );
  t.notThrows(() => fc.assert(property));
});

test('a file shorter than a gram has one fingerprint, an empty one none', (t) => {
  t.is(hashesOf([]).size, 0);
  t.is(hashesOf([1]).size, 1);
  t.is(hashesOf([1, 2, 3]).size, 1);
  t.true(hashesOf([1, 2, 3]).isDisjointFrom(hashesOf([1, 2, 4])));
});

test('a fingerprint knows the lines of its first place', (t) => {
  const common = Array.from({ length: gramTokens }, (_, index) => index);
  const { hashes, firstLines, lastLines } = fingerprintsOf(shape(common));

  t.is(hashes.length, 1);
  t.deepEqual([firstLines, lastLines], [[1], [gramTokens]]);
});

test('hashes are integers that a double and a bigint hold', (t) => {
  const { hashes } = fingerprintsOf(
    shape(Array.from({ length: 5000 }, (_, index) => index * 7919)),
  );

  t.true(hashes.length > 500);
  for (const hash of hashes) t.true(Number.isSafeInteger(hash) && hash >= 0 && hash < 2 ** 52);
  t.is(new Set(hashes).size, hashes.length);
});

test('a huge file keeps a bounded sample that smaller files are found in', (t) => {
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed >>> 8;
  };
  const huge = Array.from({ length: 200_000 }, next);
  const part = huge.slice(50_000, 60_000);
  const whole = fingerprintsOf(shape(huge));
  const piece = fingerprintsOf(shape(part));

  t.true(whole.hashes.length <= fingerprintsMax && whole.hashes.length > fingerprintsMax / 2);
  t.true(whole.hashes.every((hash) => hash % whole.modulus === 0));
  const kept = new Set(whole.hashes);
  const sampled = piece.hashes.filter((hash) => hash % whole.modulus === 0);
  const found = sampled.filter((hash) => kept.has(hash));
  t.true(found.length >= sampled.length - 2 && found.length > 100);
});
