import test from 'ava';
import { policyChangesIn } from '../../../apps/edge/wire/policy.ts';
import { ConfigInvalid, readSettingOf } from '../../../infra/config/config.ts';

// A race copies the rules when it opens: one that cannot be stored would stop it for good.
test('the environment takes of a rule what an operator may change it to, and no more', (t) => {
  const fields = {
    QUALIFYING_THRESHOLD: 'qualifying_threshold',
    MARGIN_INITIAL: 'margin_initial',
    MARGIN_HALF_LIFE_DAYS: 'margin_half_life_days',
    MARGIN_FLOOR: 'margin_floor',
    BURN_RATE: 'emission_baseline_burn_rate',
    REQUIRED_SUCCESSES_QUALIFYING: 'required_successes_qualifying',
    REQUIRED_SUCCESSES_RACE: 'required_successes_race',
    ELIMINATION_SHARE: 'elimination_share',
    RACE_TASKS: 'race_tasks',
    RACE_LIMIT_SECONDS: 'race_limit_seconds',
    SCORE_WINDOW_RACES: 'score_window_races',
  } as const;
  const values = [
    ...[0, 0.000001, 0.0001, 0.5, 1, 1.5, 2, 100, 101],
    ...[10_000, 10_001, 604_800, 604_801, 9_999_999_999],
  ];
  t.deepEqual(Object.values(fields).toSorted(), Object.keys(policyChangesIn.shape).toSorted());

  const keys = Object.keys(fields) as (keyof typeof fields)[];
  for (const [key, value] of keys.flatMap((name) => values.map((each) => [name, each] as const))) {
    const read = () => readSettingOf(key, { [key]: String(value) });
    const isTaken = policyChangesIn.safeParse({ [fields[key]]: value }).success;
    if (isTaken) t.notThrows(read, `${key} ${value}`);
    else t.throws(read, { instanceOf: ConfigInvalid }, `${key} ${value}`);
  }
});
