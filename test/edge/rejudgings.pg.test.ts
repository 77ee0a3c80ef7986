import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { evalPartitionOf } from '../../machines/partition-of.ts';
import { orderedRun } from '../spec/answers/operator.ts';
import { type Rejudging, rejudging, rejudgings } from '../spec/answers/rejudgings.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { claim, claimPath, evaluate, fail, runPath, submit } from '../support/evaluation-client.ts';
import { judge, judgedField, restartCoordinator, seenBut } from '../support/judged-field.ts';
import { tellsOneStory } from '../support/one-story.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { invalid, refused, shaped } from './routes/answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({ env: { COOLDOWN_SECONDS: '0', REQUEST_SECONDS: '6' } });
});
test.after.always(() => service?.stop());

const path = (id: string, step = '') => `/v1/admin/rejudgings${id && `/${id}`}${step}`;
const post = (to: string, body?: object, headers?: Record<string, string>) =>
  service.operator('POST', to, { body, ...(headers && { headers }) });
const create = (body: object, headers?: Record<string, string>) => post(path(''), body, headers);
const created = async (t: ExecutionContext, body: object) =>
  await shaped(t, rejudging, await create(body));
const show = async (t: ExecutionContext, id: string) =>
  await shaped(t, rejudging, await service.operator('GET', path(id)));
const cancel = (id: string) => post(path(id, '/cancel'), { reason: 'not needed' });
const status = async (versionId: string) =>
  await okBody<Record<string, unknown> & { qualifying_score: number | null }>(
    await service.call('GET', `/v1/public/agent-versions/${versionId}/status`),
  );
const board = async () => {
  const answer = await service.call('GET', '/v1/public/leaderboard', {
    headers: { 'cache-control': 'no-cache' },
  });
  const { entries } = await okBody<{
    entries: { agent_version_id: string; qualifying_score: number }[];
  }>(answer);
  return entries.map((each) => [each.agent_version_id, each.qualifying_score]);
};

const ids = ({ items }: Rejudging) => items.map((item) => item.eval_run_id).toSorted();

test.serial(
  'counted runs are selected by validator, version, phase, task, pack and time',
  async (t) => {
    const { suite, versions, judges, runs } = await judgedField(service, 'select');
    const all = runs.flat().toSorted();
    const [ofFirst, ofSecond] = runs;
    const times = await service.sql<{ at: Date }[]>`
    select claimed_at as at from evaluation_run where eval_run_id = ${ofSecond?.[0] ?? ''}`;
    const from = times[0]?.at.toISOString() ?? '';
    const later = new Date((times[0]?.at.getTime() ?? 0) + 1).toISOString();
    const cases: [object, readonly (string | undefined)[]][] = [
      [{ validator_hotkey: judges[0].hotkey }, [ofFirst?.[0], ofSecond?.[0]]],
      [{ agent_version_id: versions[1].toUpperCase() }, ofSecond ?? []],
      [{ phase: 'QUALIFYING' }, all],
      [{ task_id: suite.tasks[0]?.task_id }, all],
      [{ env_pack_sha256: suite.packSha256 }, all],
      [{ claimed_from: from }, ofSecond ?? []],
      [{ claimed_until: from }, ofFirst ?? []],
      [{ claimed_from: from, claimed_until: later }, [ofSecond?.[0]]],
      [{ validator_hotkey: judges[1].hotkey, agent_version_id: versions[0] }, [ofFirst?.[1]]],
    ];
    for (const [criteria, expected] of cases) {
      const made = await created(t, { ...criteria, reason: 'a broken host' });
      t.deepEqual(ids(made), expected.map(String).toSorted(), JSON.stringify(criteria));
      t.like(made, { status: 'OPEN', created_by: 'operator:tester', reason: 'a broken host' });
      t.true(made.items.every((item) => item.status === 'WAITING'));
      t.is((await shaped(t, rejudging, await cancel(made.rejudging_id))).status, 'CANCELLED');
    }
    const none = [
      { task_id: 'no-such-task' },
      { phase: 'RACE' },
      { agent_version_id: randomUUID() },
    ];
    for (const criteria of none) t.is(await invalid(t, await create(criteria)), 'body');
    const listed = await service.operator('GET', `${path('')}?limit=2`);
    const { total, rejudgings: page } = await shaped(t, rejudgings, listed);
    t.is(total, cases.length);
    t.deepEqual(page[0]?.criteria.validator_hotkey, judges[1].hotkey);
    await tellsOneStory(t, service.sql);
  },
);

test.serial('what says nothing, or contradicts itself, selects nothing', async (t) => {
  for (const body of [{}, { reason: 'all' }, { validator_hotkey: null }]) {
    t.is(await invalid(t, await create(body)), 'body');
  }
  const at = '2026-01-01T00:00:00Z';
  t.is(
    await invalid(t, await create({ claimed_from: at, claimed_until: at })),
    'body.claimed_until',
  );
  const wrong = [
    { validator_hotkey: 'nobody' },
    { agent_version_id: 'x' },
    { phase: 'FINAL' },
    { env_pack_sha256: 'ab' },
    { claimed_from: 'yesterday' },
  ];
  for (const body of wrong) {
    t.is(await invalid(t, await create(body)), `body.${Object.keys(body)[0]}`);
  }
});

test.serial(
  'runs are judged again after all other work, and count only once applied',
  async (t) => {
    const { suite, versions, judges, runs } = await judgedField(service, 'flow');
    const [a, b, c, d] = judges;
    const [[first = ''] = []] = runs;
    const made = await created(t, { validator_hotkey: a.hotkey, reason: 'it paid too much' });
    const id = made.rejudging_id;
    await until(async () => {
      const { items } = await show(t, id);
      return items[0]?.waiting?.able_validators === (await seenBut(service, a, b));
    });
    // Nobody who judged these versions is asked again.
    t.is((await a.post(claimPath)).status, 204);
    t.is((await b.post(claimPath)).status, 204);

    const { agent_version_id: fresh } = await submit(await service.miner('flow fresh'));
    const ordinary = await claim(c);
    t.is(ordinary.agent_version_id, fresh);
    t.is((await c.post(runPath(ordinary.eval_run_id, 'release'))).status, 200);
    const queue = await service.call('GET', '/v1/public/evaluations/pending');
    t.is((await okBody<{ total: number }>(queue)).total, 1);
    // Even what it gave back itself comes first.
    t.is((await evaluate(c, suite, '0.5')).completed.agent_version_became_eligible, false);
    await evaluate(d, suite, '0.5');
    t.is((await status(fresh))['state'], 'ELIGIBLE');

    const before = await Promise.all(versions.map(status));
    const rewards = new Map([
      [versions[0], '0.3'],
      [versions[1], '0.8'],
    ]);
    const done = [await judge(c, suite, rewards), await judge(d, suite, rewards)];
    for (const { versionId, completed } of done) {
      const finalScore = versionId === versions[0] ? 0.6 : 0.55;
      t.like(completed, { status: 'SUCCESS', final_score: finalScore });
      t.like(completed.work_item, { included_success_count: 2, required_successes: 2 });
    }
    const newRun = (versionId: string) =>
      done.find((each) => each.versionId === versionId)?.evalRunId ?? '';
    const strip = ({ timeline: _, ...rest }: Record<string, unknown>) => rest;
    t.deepEqual((await Promise.all(versions.map(status))).map(strip), before.map(strip));
    t.is((await a.post(claimPath)).status, 204);

    const ready = await show(t, id);
    t.like(ready, { status: 'READY', runs: { selected: 2, evaluated: 2, applied: 0, failed: 0 } });
    for (const [index, [versionId, reward]] of [...rewards].entries()) {
      const expected = { eval_run_id: newRun(versionId), validator_score: Number(reward) };
      t.like(ready.items[index]?.new_run, expected);
    }
    // 0.7 and 0.5 become 0.3 and 0.5; 0.6 and 0.5 become 0.8 and 0.5. The fresh one's 0.5
    // stays, and passes the first by standing still: such versions are counted and not told.
    t.deepEqual(ready.difference.versions as unknown, [
      {
        agent_version_id: versions[1],
        is_judged: true,
        qualifying_score: { before: 0.55, after: 0.65 },
        qualifying_rank: { before: 2, after: 1 },
      },
      {
        agent_version_id: versions[0],
        is_judged: true,
        qualifying_score: { before: 0.6, after: 0.4 },
        qualifying_rank: { before: 1, after: 3 },
      },
    ]);
    t.is(ready.difference.shifted_count, 1);

    const key = { 'idempotency-key': randomUUID() };
    const apply = () => post(path(id, '/apply'), { reason: 'agreed' }, key);
    const answers = await Promise.all([apply(), apply()]);
    for (const answer of answers) {
      const applied = await shaped(t, rejudging, answer);
      t.like(applied, { status: 'APPLIED', end_reason: 'agreed', runs: { applied: 2 } });
      t.deepEqual(applied.difference, ready.difference);
    }
    await until(async () => (await board())[0]?.[0] === versions[1]);
    t.deepEqual(await board(), [
      [versions[1], 0.65],
      [fresh, 0.5],
      [versions[0], 0.4],
    ]);
    const old = await service.call('GET', `/v1/public/evaluation-runs/${first}`);
    t.like(await okBody(old), { is_included: false, exclusion_reason: 'REJUDGED' });
    const now = await service.call('GET', `/v1/public/evaluation-runs/${newRun(versions[0])}`);
    t.like(await okBody(now), { is_included: true, exclusion_reason: null });
    await refused(t, await post(path(id, '/apply')), '409 REJUDGING_OVER');
    await refused(t, await cancel(id), '409 REJUDGING_OVER');
    const audit = await service.sql<{ action: string; reason: string }[]>`
    select action, reason from audit_log where object = ${`rejudging/${id}`} order by seq`;
    t.deepEqual(audit.map(({ action, reason }) => [action, reason]) as unknown, [
      ['rejudging.create', 'it paid too much'],
      ['rejudging.apply', 'agreed'],
    ]);
    await tellsOneStory(t, service.sql);
  },
);

test.serial('a rejudging goes on when its coordinator starts afresh', async (t) => {
  const { suite, versions, judges } = await judgedField(service, 'restart');
  const [a, , c, d] = judges;
  const { rejudging_id: id } = await created(t, { validator_hotkey: a.hotkey });
  const live = await claim(c);
  await restartCoordinator(service);
  await evaluate(d, suite, '0.9');
  t.is((await show(t, id)).status, 'OPEN');
  await refused(t, await post(path(id, '/apply')), '409 REJUDGING_NOT_READY');
  t.is((await c.post(runPath(live.eval_run_id, 'release'))).status, 200);
  await evaluate(c, suite, '0.9');
  await restartCoordinator(service);
  const applied = await shaped(t, rejudging, await post(path(id, '/apply')));
  t.like(applied, { status: 'APPLIED', runs: { applied: 2 } });
  const scores = await Promise.all(versions.map(status));
  t.deepEqual(
    scores.map((each) => each.qualifying_score),
    [0.7, 0.7],
  );
  await tellsOneStory(t, service.sql);
});

test.serial('what a rejudging put in place is excluded and included as any run', async (t) => {
  const { suite, versions, judges } = await judgedField(service, 'orders');
  const [a, , c] = judges;
  const [versionId] = versions;
  const criteria = { agent_version_id: versionId, validator_hotkey: a.hotkey };
  const { rejudging_id: id } = await created(t, criteria);
  const { evalRunId } = await evaluate(c, suite, '0.9');
  const order = (step: string) =>
    post(`/v1/admin/evaluation-runs/${evalRunId}/${step}`, { reason: 'odd' });
  await refused(t, await order('include'), '409 RUN_NOT_INCLUDABLE');
  t.false((await shaped(t, orderedRun, await order('exclude'))).is_included);

  const applied = await shaped(t, rejudging, await post(path(id, '/apply')));
  t.like(applied, { status: 'APPLIED', runs: { applied: 1 } });
  t.is((await status(versionId)).qualifying_score, 0.7);
  t.false((await shaped(t, orderedRun, await order('exclude'))).is_included);
  t.is((await status(versionId)).qualifying_score, null);
  t.true((await shaped(t, orderedRun, await order('include'))).is_included);
  t.is((await status(versionId)).qualifying_score, 0.7);
  await tellsOneStory(t, service.sql);

  // Taken back: the judged run counts again in the place of the one that judged it.
  const [judged] = await service.sql<{ id: string }[]>`
    select judged_run_id as id from evaluation_run where eval_run_id = ${evalRunId}`;
  t.false((await shaped(t, orderedRun, await order('exclude'))).is_included);
  const back = post(`/v1/admin/evaluation-runs/${judged?.id}/include`, { reason: 'it was right' });
  t.true((await shaped(t, orderedRun, await back)).is_included);
  await refused(t, await order('include'), '409 RUN_NOT_INCLUDABLE');
  await tellsOneStory(t, service.sql);
});

test.serial('an order to apply is kept until every owner has done its part', async (t) => {
  const { suite, versions, judges } = await judgedField(service, 'kept');
  const [a, , c, d] = judges;
  const { rejudging_id: id } = await created(t, { validator_hotkey: a.hotkey });
  for (const validator of [c, d]) await evaluate(validator, suite, '0.9');
  const key = { 'idempotency-key': randomUUID() };
  const apply = () => post(path(id, '/apply'), {}, key);
  const part = evalPartitionOf(versions[0]);
  await service.sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`select 1 from rt.partition where kind = 'eval' and part = ${part} for update`;
    await refused(t, await apply(), '503 OUTCOME_UNKNOWN');
    t.is((await show(t, id)).status, 'APPLYING');
    await refused(t, await cancel(id), '409 REJUDGING_OVER');
  });
  const applied = await shaped(t, rejudging, await apply());
  t.like(applied, { status: 'APPLIED', runs: { applied: 2 } });
  t.is((await status(versions[0])).qualifying_score, 0.7);
  const audit = await service.sql`
    select 1 from audit_log where object = ${`rejudging/${id}`} and action = 'rejudging.apply'`;
  t.is(audit.length, 1);
});

test.serial('a cancelled rejudging ends its runs and changes no score', async (t) => {
  const { suite, versions, judges } = await judgedField(service, 'cancel');
  const [a, , c, d] = judges;
  const { rejudging_id: id } = await created(t, { validator_hotkey: a.hotkey });
  await evaluate(c, suite, '0.1');
  const live = await claim(d);
  t.like((await show(t, id)).runs, { evaluated: 1 });
  t.is(await invalid(t, await post(path(id, '/cancel'))), 'body');
  const cancelled = await shaped(t, rejudging, await cancel(id));
  t.like(cancelled, { status: 'CANCELLED', end_reason: 'not needed' });
  t.deepEqual(cancelled.items.map((item) => [item.status, item.reason]).toSorted(), [
    ['DROPPED', 'REJUDGING_CANCELLED'],
    ['ENDED', 'REJUDGING_CANCELLED'],
  ]);
  const heartbeat = await d.post(runPath(live.eval_run_id, 'heartbeat'));
  t.is((await refused(t, heartbeat, '409 LEASE_EXPIRED'))['run_status'], 'CANCELLED');
  const scores = await Promise.all(versions.map(status));
  t.deepEqual(
    scores.map((each) => each.qualifying_score),
    [0.6, 0.55],
  );
  // The same runs may be judged again by another order, also by who did it before.
  const again = await created(t, { validator_hotkey: a.hotkey });
  t.is(again.runs.selected, 2);
  await until(async () => {
    const { items } = await show(t, again.rejudging_id);
    return items[0]?.waiting?.able_validators === (await seenBut(service, a, judges[1]));
  });
  await cancel(again.rejudging_id);
  await tellsOneStory(t, service.sql);
});

test.serial('what is being judged again is left out of another rejudging', async (t) => {
  const { judges, versions } = await judgedField(service, 'twice');
  const { rejudging_id: id } = await created(t, { validator_hotkey: judges[0].hotkey });
  t.is(await invalid(t, await create({ validator_hotkey: judges[0].hotkey })), 'body');
  const rest = await created(t, { agent_version_id: versions[0] });
  t.is(rest.runs.selected, 1);
  await cancel(id);
  await cancel(rest.rejudging_id);
});

test.serial('a rejudging is ready when nobody can judge, and says why', async (t) => {
  const { judges, versions } = await judgedField(service, 'discarded');
  const [a, , c, d] = judges;
  const { rejudging_id: id } = await created(t, { validator_hotkey: a.hotkey });
  const discard = await post(`/v1/admin/agent-versions/${versions[0]}/discard`, { reason: 'copy' });
  t.is(discard.status, 200);
  for (const judge of [c, d, c]) await fail(judge, 'AGENT');
  const ready = await show(t, id);
  t.like(ready, { status: 'READY', runs: { selected: 2, evaluated: 0, failed: 2 } });
  t.deepEqual(
    ready.items.map((item) => [item.status, item.reason, item.attempts]),
    [
      ['ENDED', 'VERSION_DISCARDED', 0],
      ['ENDED', 'AGENT_FAILURES', 3],
    ],
  );
  t.like(await status(versions[1]), { state: 'ELIGIBLE', qualifying_score: 0.55 });
  const applied = await shaped(t, rejudging, await post(path(id, '/apply')));
  t.like(applied, { status: 'APPLIED', runs: { applied: 0 } });
});

test.serial('what nobody knows is not found, and one key means one rejudging', async (t) => {
  const { judges } = await judgedField(service, 'keys');
  const id = randomUUID();
  await refused(t, await service.operator('GET', path(id)), '404 REJUDGING_NOT_FOUND');
  await refused(t, await post(path(id, '/apply')), '404 REJUDGING_NOT_FOUND');
  await refused(t, await cancel(id), '404 REJUDGING_NOT_FOUND');
  const key = { 'idempotency-key': randomUUID() };
  const order = { validator_hotkey: judges[0].hotkey };
  const [first, second] = [await create(order, key), await create(order, key)];
  const made = await shaped(t, rejudging, first);
  t.is((await shaped(t, rejudging, second)).rejudging_id, made.rejudging_id);
  const another = { validator_hotkey: judges[1].hotkey };
  await refused(t, await create(another, key), '409 IDEMPOTENCY_CONFLICT');
  await cancel(made.rejudging_id);
});

test.serial('another suite ends what waits to be judged again', async (t) => {
  const { judges, suite, versions } = await judgedField(service, 'superseded');
  const { rejudging_id: id } = await created(t, { validator_hotkey: judges[0].hotkey });
  const judged = await judge(judges[2], suite, new Map(versions.map((each) => [each, '0.9'])));
  const scored = await status(judged.versionId);
  await openTrialSuite(service);
  await until(async () => (await show(t, id)).status === 'READY');
  const ready = await show(t, id);
  t.deepEqual(ready.items.map((item) => item.status).toSorted(), ['ENDED', 'JUDGED']);
  t.true(ready.items.every((item) => item.reason === 'SUITE_SUPERSEDED'));
  const scores = ready.difference.versions.map(({ qualifying_score: score }) => score);
  t.true(scores.every(({ before, after }) => before === after));

  const applied = await shaped(t, rejudging, await post(path(id, '/apply')));
  t.like(applied, { status: 'APPLIED', runs: { applied: 0 } });
  t.true(applied.items.every((item) => item.reason === 'SUITE_SUPERSEDED'));
  t.is((await status(judged.versionId)).qualifying_score, scored.qualifying_score);
  await refused(t, await service.call('GET', path(id)), '401 MISSING_CREDENTIALS');
});
