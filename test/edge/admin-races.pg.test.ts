import { randomUUID } from 'node:crypto';
import test from 'ava';
import { racePartitionOf } from '../../machines/partition-of.ts';
import { overview, policy } from '../spec/answers/operator.ts';
import { race } from '../spec/answers/races.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { claim, evaluate, submit, validators } from '../support/evaluation-client.ts';
import { holdLock } from '../support/held-lock.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { refused, shaped } from './routes/answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({ env: { COOLDOWN_SECONDS: '0', REQUEST_SECONDS: '4' } });
});
test.after.always(() => service?.stop());

const post = (path: string, body?: object, headers?: Record<string, string>) =>
  service.operator('POST', path, { body, ...(headers && { headers }) });
const racePath = (id: string, order: string) => `/v1/admin/races/${id}/${order}`;
const auditOf = async (object: string) => {
  const rows = await service.sql<{ action: string; reason: string | null }[]>`
    select action, reason from audit_log where object = ${object} order by seq`;
  return rows.map(({ action, reason }) => [action, reason]);
};

interface RaceRow {
  readonly raceId: string;
  readonly raceNumber: number;
  readonly status: string;
}

/** The suite's race that has not ended, once it is open. */
async function openRaceOf(suiteId: number): Promise<RaceRow> {
  let found: RaceRow | undefined;
  await until(async () => {
    [found] = await service.sql<RaceRow[]>`
      select race_id as "raceId", race_number as "raceNumber", status from race
      where suite_id = ${suiteId} and status not in ('RACE_COMPLETE', 'RACE_CANCELLED')`;
    return found !== undefined;
  });
  if (found === undefined) throw new Error('the wait ends with a race');
  return found;
}

/** A version that will be entered, and the validators that made it eligible. */
async function addEligible(suite: TrialSuite, name: string) {
  const miner = await service.miner(`${name} miner`);
  const { agent_version_id: versionId } = await submit(miner);
  const judges = await validators(service, name, 2);
  for (const judge of judges) await evaluate(judge, suite, '0.7');
  return { versionId, judges };
}

test.serial(
  'a race without entrants is cancelled by its close, and the next one opens',
  async (t) => {
    const { suiteId } = await openTrialSuite(service);
    const { raceId, raceNumber } = await openRaceOf(suiteId);
    const seen = await shaped(t, overview, await service.operator('GET', '/v1/admin/overview'));
    t.like(seen.current_race, { race_id: raceId, race_number: 1, status: 'QUALIFYING_OPEN' });
    t.is(seen.top, null);
    t.deepEqual(seen.race_tasks, { held_out: 2, unraced: 2, asked_for: 90 });
    const closed = await shaped(t, race, await post(racePath(raceId, 'close-qualifying')));
    t.like(closed, { race_id: raceId, status: 'RACE_CANCELLED' });
    t.is((await openRaceOf(suiteId)).raceNumber, raceNumber + 1);
    t.deepEqual(await auditOf(`race/${raceId}`), [['race.close', null]]);
  },
);

test.serial('a race is closed, started and cancelled by order, as by the clock', async (t) => {
  const suite = await openTrialSuite(service);
  const { raceId } = await openRaceOf(suite.suiteId);
  const { versionId, judges } = await addEligible(suite, 'by order');

  const closed = await shaped(t, race, await post(racePath(raceId, 'close-qualifying')));
  t.is(closed.qualifier_count, 1);
  // The start is due at once, so that it may have happened before this answer.
  t.true(['QUALIFYING_CLOSED', 'RACE_RUNNING'].includes(closed.status));
  const started = await shaped(t, race, await post(racePath(raceId, 'start')));
  t.is(started.status, 'RACE_RUNNING');
  t.truthy(started.race_started_at);
  const again = await shaped(t, race, await post(racePath(raceId, 'close-qualifying')));
  t.is(again.status, 'RACE_RUNNING');

  const [judge] = judges;
  if (judge === undefined) throw new Error('there are two');
  let run: { eval_run_id: string; agent_version_id: string } | undefined;
  await until(async () => {
    run = await claim(judge).catch(() => undefined);
    return run !== undefined;
  });
  t.is(run?.agent_version_id, versionId);

  const cancelled = await post(racePath(raceId, 'cancel'), { reason: 'the pack is broken' });
  t.is((await shaped(t, race, cancelled)).status, 'RACE_CANCELLED');
  const runPath = `/v1/admin/evaluation-runs/${run?.eval_run_id}/reclaim`;
  await refused(t, await post(runPath), '409 RACE_OVER');
  for (const order of ['close-qualifying', 'start', 'cancel']) {
    await refused(t, await post(racePath(raceId, order), { reason: 'late' }), '409 RACE_OVER');
  }
  t.is((await openRaceOf(suite.suiteId)).raceNumber, 2);
  t.deepEqual(await auditOf(`race/${raceId}`), [
    ['race.close', null],
    ['race.start', null],
    ['race.close', null],
    ['race.cancel', 'the pack is broken'],
  ]);
});

test.serial('a race whose qualifying is open is started by closing it first', async (t) => {
  const suite = await openTrialSuite(service);
  const { raceId } = await openRaceOf(suite.suiteId);
  await addEligible(suite, 'start first');
  const started = await shaped(t, race, await post(racePath(raceId, 'start')));
  t.is(started.status, 'RACE_RUNNING');
  t.is(started.qualifier_count, 1);
});

test.serial('a close and a cancellation at once leave one cancelled race', async (t) => {
  const suite = await openTrialSuite(service);
  const { raceId } = await openRaceOf(suite.suiteId);
  await addEligible(suite, 'both');
  const [closed, cancelled] = await Promise.all([
    post(racePath(raceId, 'close-qualifying')),
    post(racePath(raceId, 'cancel'), { reason: 'both' }),
  ]);
  t.is((await shaped(t, race, cancelled)).status, 'RACE_CANCELLED');
  t.true([200, 409].includes(closed.status));
  if (closed.status === 409) await refused(t, closed, '409 RACE_OVER');
  const [row] = await service.sql`select status, cancel_reason from race where race_id = ${raceId}`;
  t.deepEqual(row, { status: 'RACE_CANCELLED', cancel_reason: 'both' });
});

test.serial(
  'a top that is discarded or banned reigns no more, also after it is back',
  async (t) => {
    const suite = await openTrialSuite(service);
    const { raceId } = await openRaceOf(suite.suiteId);
    const top = async () => {
      const answer = await service.call('GET', '/v1/public/top');
      return (await okBody<{ top_agent_version_id: string | null }>(answer)).top_agent_version_id;
    };
    const reignOf = async (versionId: string) => {
      const [row] = await service.sql<{ reason: string | null }[]>`
      select end_reason as reason from top_agent where agent_version_id = ${versionId}`;
      return row?.reason;
    };
    for (const [name, reason] of [
      ['discarded top', 'DISCARDED'],
      ['banned top', 'BANNED'],
    ] as const) {
      const { versionId } = await addEligible(suite, name);
      const { hotkey } = service.stranger(`${name} miner`);
      await service.sql`
      insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
      values (${randomUUID()}, ${suite.suiteId}, ${versionId}, ${hotkey}, ${raceId}, 0.7, rt.clock())`;
      t.is(await top(), versionId);
      const path = `/v1/admin/agent-versions/${versionId}`;
      const ban = `/v1/admin/hotkeys/${hotkey}/ban`;
      if (reason === 'BANNED') {
        await okBody(await service.operator('PUT', ban, { body: { reason: 'cheats' } }));
      } else await okBody(await post(`${path}/discard`, { reason: 'copied' }));
      t.is(await top(), null);
      await until(async () => (await reignOf(versionId)) === reason);
      if (reason === 'BANNED') await okBody(await service.operator('DELETE', ban));
      else await okBody(await post(`${path}/reinstate`));
      t.is(await top(), null);
    }
  },
);

test.serial('an order to a coordinator that cannot commit is kept until it can', async (t) => {
  const { suiteId } = await openTrialSuite(service);
  const { raceId } = await openRaceOf(suiteId);
  const key = { 'idempotency-key': randomUUID() };
  const cancel = () => post(racePath(raceId, 'cancel'), { reason: 'away' }, key);
  const part = racePartitionOf(suiteId);
  await holdLock(
    service.sql,
    (tx) => tx`select 1 from rt.partition where kind = 'race' and part = ${part} for update`,
    async () => {
      await refused(t, await cancel(), '503 OUTCOME_UNKNOWN');
    },
  );
  await until(async () => (await openRaceOf(suiteId)).raceNumber === 2);
  t.is((await shaped(t, race, await cancel())).status, 'RACE_CANCELLED');
  t.deepEqual(await auditOf(`race/${raceId}`), [['race.cancel', 'away']]);
});

test.serial('a change of the policy counts from the next race on, and can be undone', async (t) => {
  const suite = await openTrialSuite(service);
  const first = await openRaceOf(suite.suiteId);
  const patch = async (body: object) =>
    shaped(t, policy, await service.operator('PATCH', '/v1/admin/policy', { body }));
  const next = async (raceId: string) => {
    await okBody(await post(racePath(raceId, 'cancel'), { reason: 'next' }));
    return await openRaceOf(suite.suiteId);
  };
  const terms = async () => {
    const [row] = await service.sql<{ threshold: string; successes: number }[]>`
      select qualifying_threshold as threshold, required_successes_qualifying as successes
      from suite where suite_id = ${suite.suiteId}`;
    return row;
  };
  const own = await terms();

  const changed = await patch({ qualifying_threshold: 0.31, required_successes_qualifying: 1 });
  t.like(changed.current_race, { race_id: first.raceId, qualifying_threshold: 0.55 });
  t.deepEqual(await terms(), own);
  const second = await next(first.raceId);
  const shown = await shaped(t, policy, await service.operator('GET', '/v1/admin/policy'));
  t.like(shown.current_race, {
    ...{ race_id: second.raceId, race_number: 2, qualifying_threshold: 0.31 },
    policy_version: changed.policy_version,
  });
  t.deepEqual(await terms(), { threshold: '0.3100', successes: 1 });

  await patch({ qualifying_threshold: null, required_successes_qualifying: null });
  await next(second.raceId);
  t.deepEqual(await terms(), own);
});

test.serial('the race of a suite that another one replaced is cancelled', async (t) => {
  const { suiteId } = await openTrialSuite(service);
  const { raceId } = await openRaceOf(suiteId);
  const { suiteId: other } = await openTrialSuite(service);
  t.is((await openRaceOf(other)).raceNumber, 1);
  await until(async () => {
    const [row] = await service.sql<{ status: string }[]>`
      select status from race where race_id = ${raceId}`;
    return row?.status === 'RACE_CANCELLED';
  });
  await refused(t, await post(racePath(raceId, 'start')), '409 RACE_OVER');
});
