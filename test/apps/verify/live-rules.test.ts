import test from 'ava';
import { invariants } from '../../../apps/verify/live/invariants.ts';
import { liveRules } from '../../../apps/verify/live/live-rules.ts';
import { exitCodeOf, findingOf } from '../../../apps/verify/live/report.ts';
import { ConfigInvalid } from '../../../infra/config/config.ts';

test('settings are read as the services read them: an empty one is not set', (t) => {
  const defaults = liveRules({});
  t.deepEqual(defaults, {
    cooldownMs: undefined,
    codePrivateMs: 432_000_000,
    noProgressMs: 3_600_000,
    runLimitMs: 7_200_000,
  });
  t.deepEqual(liveRules({ COOLDOWN_SECONDS: '', RUN_LIMIT_SECONDS: ' ' }), defaults);
  t.is(liveRules({ COOLDOWN_SECONDS: ' 64800 ' }).cooldownMs, 64_800_000);
  t.is(liveRules({ COOLDOWN_SECONDS: '0' }).cooldownMs, 0);
  for (const [key, value] of [
    ['COOLDOWN_SECONDS', 'abc'],
    ['COOLDOWN_SECONDS', '-1'],
    ['CODE_RELEASE_SECONDS', '1.5'],
    ['RUN_LIMIT_SECONDS', '0'],
  ] as const) {
    t.throws(() => liveRules({ [key]: value }), {
      instanceOf: ConfigInvalid,
      message: new RegExp(`\n  ${key}: "${value}" `),
    });
  }
});

const outcome = { id: 'INV-01', rule: 'a rule', of: 'work_item', rows: 1, ms: 1 } as const;
const made = { ...outcome, violations: [] };
const broken = { ...outcome, violations: [{}] };
const forbidden = { ...made, trouble: 'forbidden' } as const;
const late = { ...made, trouble: 'timeout' } as const;

test('where nothing could be checked, nothing is as it should be', (t) => {
  const [first, second] = invariants;
  if (first === undefined || second === undefined) throw new Error('no invariants');
  for (const [outcomes, code] of [
    [[[forbidden, forbidden], [forbidden]], 2],
    [[[], [forbidden]], 2],
    [[[made, forbidden], [forbidden]], 0],
    [[[made], []], 0],
    [[[made], [late]], 2],
    [[[broken], [late]], 1],
  ] as const) {
    const [of, others] = outcomes;
    t.is(exitCodeOf([findingOf(first, of), findingOf(second, others)]), code);
  }
});
