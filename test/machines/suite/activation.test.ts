import test from 'ava';
import fc from 'fast-check';
import { beginningAfter, isOfEarlierActivation } from '../../../machines/suite/activation.ts';

const instant = fc.integer({ min: 0, max: 1_000_000 });
const activation = fc.option(instant);

test('what began clearly before the activation is of an earlier one, and nothing else', (t) => {
  t.true(isOfEarlierActivation(10_000, 15_001, 20_000));
  t.false(isOfEarlierActivation(10_000, 15_000, 20_000));
  t.false(isOfEarlierActivation(20_000, 15_000, 20_000));
  t.false(isOfEarlierActivation(10_000, null, 20_000));
});

test('what begins now is never of an earlier activation, then or later, whatever clocks say', (t) => {
  const property = fc.property(activation, instant, instant, (activatedAtMs, nowMs, passedMs) => {
    const beganAtMs = beginningAfter(activatedAtMs, nowMs);
    // One that lies ahead is believed once its time has come.
    const isAhead = activatedAtMs !== null && activatedAtMs > nowMs + 60_000;
    const laterMs = isAhead ? Math.min(nowMs + passedMs, activatedAtMs - 60_001) : nowMs + passedMs;
    return beganAtMs >= nowMs && !isOfEarlierActivation(beganAtMs, activatedAtMs, laterMs);
  });
  t.notThrows(() => fc.assert(property));
});

test('an activation of a clock that was far ahead opens nothing in the future', (t) => {
  t.is(beginningAfter(20_000, 20_500), 20_500);
  t.is(beginningAfter(25_000, 20_000), 25_000);
  t.is(beginningAfter(31_536_000_000, 20_000), 20_000);
});
