import test from 'ava';
import { Fault } from '../../../machines/fault.ts';
import { policyBasis } from '../../../machines/race/policy-overrides.ts';
import { openOperatorDesk } from '../../support/operator-desk.ts';

test('each change is the next version and keeps what it does not name', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const change = service['change-policy'];
  const first = await change(
    { changes: { burnRateMicro: 100_000, raceTasks: 30 }, reason: 'quiet days' },
    command(),
  );
  t.is(first.policyVersion, 1);
  const second = await change(
    { changes: { raceTasks: null, qualifyingThreshold: '0.6000' }, reason: null },
    command(),
  );
  t.is(second.policyVersion, 2);
  t.is(second.overrides.burnRateMicro, 100_000);
  t.is(second.overrides.raceTasks, null);
  t.is(second.overrides.qualifyingThreshold, '0.6000');
  const rows = await admin<{ policy_version: number; actor: string; reason: string | null }[]>`
    select policy_version, actor, reason from race_policy order by policy_version`;
  t.deepEqual(
    [...rows],
    [
      { policy_version: 1, actor: 'operator:ann', reason: 'quiet days' },
      { policy_version: 2, actor: 'operator:ann', reason: null },
    ],
  );
  const entries = await admin<{ action: string; object: string; detail: object }[]>`
    select action, object, detail from audit_log order by seq`;
  t.deepEqual(entries[0], {
    action: 'policy.change',
    object: 'policy/1',
    detail: { burnRateMicro: 100_000, raceTasks: 30 },
  });
});

test('changes at once have versions without gaps, and a repeat is none', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const change = service['change-policy'];
  await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      change({ changes: { raceTasks: index + 1 }, reason: null }, command()),
    ),
  );
  const same = command();
  const asked = { changes: { raceTasks: 50 }, reason: null };
  t.deepEqual(await change(asked, same), await change(asked, same));
  const versions = await admin<{ policy_version: number }[]>`
    select policy_version from race_policy order by policy_version`;
  t.deepEqual(
    versions.map((row) => row.policy_version),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});

test('a margin that would grow with time is refused, also by half a change', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  const change = service['change-policy'];
  // 10,000 is configured for the initial margin.
  const error = await t.throwsAsync(
    () => change({ changes: { marginFloorMicro: 10_001 }, reason: null }, command()),
    { instanceOf: Fault },
  );
  t.is(error?.code, 'VALIDATION_FAILED');
  const both = { marginFloorMicro: 10_001, marginInitialMicro: 20_000 };
  await t.notThrowsAsync(() => change({ changes: both, reason: null }, command()));
  await t.throwsAsync(() =>
    change({ changes: { marginInitialMicro: null }, reason: null }, command()),
  );
  t.is((await admin`select 1 from race_policy`).length, 1);
});

test('a suite keeps its own terms when a race writes others into its row', async (t) => {
  const { admin, service, command, suite } = await openOperatorDesk(t);
  const document = suite({ qualifyingThresholdMicro: 625_000, requiredSuccessesRace: 5 });
  const { suiteId } = await service['create-suite'](
    { documentSha256: document, reason: null },
    command(),
  );
  await admin`
    update suite set qualifying_threshold = 0.9, required_successes_qualifying = 7,
      required_successes_race = 7
    where suite_id = ${suiteId}`;
  const [row] = await admin<{ basis: unknown }[]>`
    select public.policy_basis(${suiteId}) as basis`;
  const basis = policyBasis.parse(row?.basis);
  t.is(basis.policyVersion, 0);
  t.deepEqual(basis.suite, {
    executionKind: 'legacy_benchmark',
    qualifyingThreshold: '0.6250',
    requiredSuccessesQualifying: 2,
    requiredSuccesses: 5,
  });
});
