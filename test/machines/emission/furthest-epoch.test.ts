import test from 'ava';
import fc from 'fast-check';
import { furthestEpoch } from '../../../machines/emission/furthest-epoch.ts';
import { epochLengthMs, epochOfTime } from '../../../machines/time/epoch.ts';

const epochMs = epochLengthMs(360);
const newest = { epochIndex: 100, madeAtMs: 1_000_000 };
const after = (passedMs: number) => furthestEpoch(newest, newest.madeAtMs + passedMs, epochMs);

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
    t.true(honest <= furthestEpoch(made, nowMs, lengthMs));
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
