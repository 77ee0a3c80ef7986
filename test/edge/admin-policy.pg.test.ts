import { randomUUID } from 'node:crypto';
import test from 'ava';
import { policy } from '../spec/answers/operator.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { addActiveSuite } from '../support/trial-races.ts';
import { invalid, refused, shaped } from './routes/answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

const path = '/v1/admin/policy';
const show = () => service.operator('GET', path);
const change = (body: object, headers?: Record<string, string>) =>
  service.operator('PATCH', path, { body, ...(headers && { headers }) });

const configured = {
  qualifying_threshold: 0.55,
  margin_initial: 0.01,
  margin_half_life_days: 10,
  margin_floor: 0,
  emission_baseline_burn_rate: 0,
  required_successes_qualifying: 2,
  required_successes_race: 2,
  elimination_share: 0.65,
  race_tasks: 90,
  race_limit_seconds: 72_000,
  score_window_races: 3,
};

test.serial('before the first change the configuration holds', async (t) => {
  const shown = await shaped(t, policy, await show());
  t.like(shown, { ...configured, policy_version: 0, current_race: null });
  t.deepEqual(shown.history, []);
  t.true(Object.values(shown.overrides).every((value) => value === null));
});

test.serial(
  'a change holds what it names, is kept with its author, and null undoes it',
  async (t) => {
    const key = { 'idempotency-key': randomUUID() };
    const asked = {
      qualifying_threshold: 0.6125,
      emission_baseline_burn_rate: 0.123456,
      margin_half_life_days: 2.5,
      race_limit_seconds: 3600,
      unknown: 'dropped',
      reason: 'a calm week',
    };
    const first = await shaped(t, policy, await change(asked, key));
    const { unknown: _, reason, ...named } = asked;
    t.like(first, { ...configured, ...named, policy_version: 1 });
    t.like(first.overrides, { ...named, race_tasks: null });
    t.like(first.history[0], { policy_version: 1, changed_by: 'operator:tester', reason });

    await shaped(t, policy, await change({ race_tasks: 12 }));
    t.deepEqual(await shaped(t, policy, await change(asked, key)), first);
    await refused(t, await change({ ...asked, race_tasks: 1 }, key), '409 IDEMPOTENCY_CONFLICT');

    const undone = await change({
      ...{ qualifying_threshold: null, race_tasks: null, emission_baseline_burn_rate: null },
      ...{ margin_half_life_days: null, race_limit_seconds: null },
    });
    t.like(await shaped(t, policy, undone), { ...configured, policy_version: 3 });
    const { history } = await shaped(t, policy, await show());
    t.deepEqual(
      history.map(({ policy_version }) => policy_version),
      [3, 2, 1],
    );
    t.is(history[1]?.overrides.race_tasks, 12);
    const [entry] = await service.sql<{ reason: string; detail: object }[]>`
    select reason, detail from audit_log where action = 'policy.change' order by seq limit 1`;
    t.is(entry?.reason, reason);
    t.deepEqual(entry?.detail, {
      qualifyingThreshold: '0.6125',
      burnRateMicro: 123_456,
      marginHalfLifeMs: 216_000_000,
      raceLimitMs: 3_600_000,
    });
  },
);

test.serial('what the active suite says goes over the configuration', async (t) => {
  const suiteId = await addActiveSuite(service.sql, 90);
  await service.sql`
    update suite set created_threshold = 0.7, created_successes_race = 4 where suite_id = ${suiteId}`;
  t.like(await shaped(t, policy, await show()), {
    qualifying_threshold: 0.7,
    required_successes_race: 4,
  });
});

test.serial('numbers that make no rule are refused, and nothing is kept', async (t) => {
  const before = await shaped(t, policy, await show());
  for (const body of [
    {},
    { unknown: 1 },
    { reason: 'nothing named' },
    { qualifying_threshold: 1.1 },
    { qualifying_threshold: 0.55555 },
    { qualifying_threshold: '0.5' },
    { emission_baseline_burn_rate: -0.1 },
    { margin_initial: 0.0000001 },
    { margin_half_life_days: 0 },
    { required_successes_race: 0 },
    { required_successes_qualifying: 1.5 },
    { elimination_share: 2 },
    { race_tasks: 0 },
    { race_limit_seconds: 604_801 },
    { score_window_races: 0 },
    { margin_floor: 0.02 },
    { margin_initial: 0.005, margin_floor: 0.006 },
  ]) {
    t.regex(await invalid(t, await change(body)), /^body/, JSON.stringify(body));
  }
  t.deepEqual(await shaped(t, policy, await show()), before);
});
