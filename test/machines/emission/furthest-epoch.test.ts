import test from 'ava';
import fc from 'fast-check';
import { furthestEpoch, witnessCount } from '../../../machines/emission/furthest-epoch.ts';
import { epochLengthMs, epochOfTime } from '../../../machines/time/epoch.ts';

const epochMs = epochLengthMs(360);
const newest = { epochIndex: 100, madeAtMs: 1_000_000 };
const after = (passedMs: number) => furthestEpoch([newest], newest.madeAtMs + passedMs, epochMs);

test('two epochs are spare, and each that passed is one more', (t) => {
  t.is(after(0), 102);
  t.is(after(epochMs - 1), 102);
  t.is(after(epochMs), 103);
  t.is(after(20 * epochMs), 122);
  t.is(after(-epochMs), 102, 'a clock that was put back');
});

const instant = fc.nat(2 ** 45);

test('no epoch of an honest chain is ever too far, whenever the newest was made', (t) => {
  const some = fc.tuple(fc.integer({ min: 1, max: 10_000 }), instant, instant, fc.nat(1_000_000));
  const property = fc.property(some, ([epochBlocks, madeAtMs, passedMs, missed]) => {
    const lengthMs = epochLengthMs(epochBlocks);
    const nowMs = madeAtMs + passedMs;
    const made = { epochIndex: epochOfTime(madeAtMs, epochBlocks), madeAtMs };
    // Blocks that were missed meanwhile only make it earlier, and clocks may differ by an epoch.
    const honest = epochOfTime(nowMs - Math.min(missed, passedMs) + lengthMs, epochBlocks);
    t.true(honest <= furthestEpoch([made], nowMs, lengthMs));
  });
  t.notThrows(() => fc.assert(property));
});

test('a wrong number costs two epochs at most, however wrong it is', (t) => {
  const property = fc.property(instant, fc.nat(2 ** 48), (passedMs, wrong) => {
    const named = newest.epochIndex + wrong;
    const isMade = named <= after(passedMs);
    const epochsPassed = Math.floor(passedMs / epochMs);
    t.is(isMade, wrong <= epochsPassed + 2);
  });
  t.notThrows(() => fc.assert(property));
});

const dayMs = 86_400_000;
/** Newest first, and made at once whenever an honest chain came so far. */
const madeUntil = (endMs: number, count: number) =>
  Array.from({ length: count }, (_, ago) => {
    const madeAtMs = endMs - ago * epochMs;
    return { epochIndex: epochOfTime(madeAtMs, 360), madeAtMs };
  });
const aheadBy = (aheadMs: number) => (made: { epochIndex: number; madeAtMs: number }) => ({
  ...made,
  madeAtMs: made.madeAtMs + aheadMs,
});

test('standings of a clock that was ahead stop no honest chain, whenever it is put right and asked', (t) => {
  const some = fc.record({
    wrong: fc.integer({ min: 1, max: witnessCount - 1 }),
    aheadMs: fc.oneof(fc.nat(dayMs), fc.nat(400 * dayMs)),
    passedMs: fc.oneof(fc.nat(dayMs), fc.nat(400 * dayMs)),
  });
  const endMs = Date.parse('2026-07-08T23:00:00Z');
  const property = fc.property(some, ({ wrong, aheadMs, passedMs }) => {
    const honest = madeUntil(endMs, witnessCount);
    const made = [...honest.slice(0, wrong).map(aheadBy(aheadMs)), ...honest.slice(wrong)];
    const nowMs = endMs + passedMs;
    const furthest = furthestEpoch(made, nowMs, epochMs);
    t.true(epochOfTime(nowMs, 360) <= furthest);
    t.true(furthest <= epochOfTime(nowMs, 360) + 2, 'and no further than without that clock');
  });
  t.notThrows(() => fc.assert(property));
});

test('where every witness is of a clock that was ahead, two beyond the newest are left', (t) => {
  const made = madeUntil(0, witnessCount).map(aheadBy(dayMs));
  t.is(furthestEpoch(made, 0, epochMs), epochOfTime(0, 360) + 2);
});
