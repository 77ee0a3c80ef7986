import test from 'ava';
import {
  type EffectivePolicy,
  effectivePolicy,
  isMarginSound,
  policyBasis,
  policyOverrides,
} from '../../../machines/race/policy-overrides.ts';

const configured: EffectivePolicy = {
  qualifyingThreshold: '0.5500',
  requiredSuccessesQualifying: 2,
  requiredSuccesses: 2,
  raceTasks: 90,
  eliminationShareMicro: 650_000,
  windowRaces: 3,
  marginInitialMicro: 10_000,
  marginFloorMicro: 0,
  marginHalfLifeMs: 864_000_000,
  burnRateMicro: 0,
  raceLimitMs: 72_000_000,
  embargoMs: 21_600_000,
};
const suite = {
  executionKind: 'envpack' as const,
  qualifyingThreshold: '0.6000',
  requiredSuccessesQualifying: 3,
  requiredSuccesses: 4,
};

test('overrides go over the suite, the suite over the configuration', (t) => {
  const overrides = policyOverrides.parse({ qualifyingThreshold: '0.7000', burnRateMicro: 0 });
  t.deepEqual(effectivePolicy({ ...configured, burnRateMicro: 5 }, { overrides, suite }), {
    ...configured,
    qualifyingThreshold: '0.7000',
    requiredSuccessesQualifying: 3,
    requiredSuccesses: 4,
  });
});

test('with nothing said it is the configuration, and a null says nothing', (t) => {
  const overrides = policyOverrides.parse({ raceTasks: null });
  t.deepEqual(effectivePolicy(configured, { overrides, suite: null }), configured);
});

test('a legacy suite has no embargo, whatever is configured', (t) => {
  const legacy = { ...suite, executionKind: 'legacy_benchmark' as const };
  const overrides = policyOverrides.parse({});
  t.is(effectivePolicy(configured, { overrides, suite: legacy }).embargoMs, 0);
});

test('what is stored of old or of nothing is read as no override', (t) => {
  const basis = policyBasis.parse({ policyVersion: 0, overrides: {}, suite: null });
  t.true(Object.values(basis.overrides).every((value) => value === null));
});

test('numbers out of range are refused', (t) => {
  for (const wrong of [
    { qualifyingThreshold: '1.5000' },
    { qualifyingThreshold: '0.5' },
    { requiredSuccesses: 0 },
    { raceTasks: 10_001 },
    { burnRateMicro: -1 },
    { eliminationShareMicro: 1_000_001 },
    { raceLimitMs: 999 },
    { marginHalfLifeMs: 0 },
    { windowRaces: 1.5 },
  ]) {
    t.false(policyOverrides.safeParse(wrong).success, JSON.stringify(wrong));
  }
  t.true(policyOverrides.safeParse({ qualifyingThreshold: '1.0000', burnRateMicro: 1e6 }).success);
});

test('a margin cannot grow with time', (t) => {
  t.true(isMarginSound({ marginFloorMicro: 10, marginInitialMicro: 10 }));
  t.false(isMarginSound({ marginFloorMicro: 11, marginInitialMicro: 10 }));
});
