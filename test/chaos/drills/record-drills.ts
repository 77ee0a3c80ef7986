import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import type { Drill } from './drill.ts';
import { crowd, type DrillWorld } from './drill-world.ts';
import { beat, claim, giveBack, keepBeating, ownerEnv, runUnderWay } from './steps.ts';

const claimPath = '/v1/validator/work/claim';

const silentValidator: Drill = {
  name: 'silent-validator',
  async run(world) {
    const { panel } = world;
    const before = await panel.metric('paddock_lease_expiries_total');
    const silent = await runUnderWay(world);
    await panel.seesMetric('paddock_lease_expiries_total', (count) => count > before);
    assert.equal(await beat(silent.validator, silent.evalRunId), 409, 'it is too late for it');
    const again = await runUnderWay(world);
    const route = 'POST /v1/admin/evaluation-runs/{eval_run_id}/reclaim';
    const params = { eval_run_id: again.evalRunId };
    await panel.order(route, { params, body: { reason: 'its host is gone' } });
    assert.equal(await beat(again.validator, again.evalRunId), 409);
    const next = await world.newValidator();
    await giveBack(next, (await claim(next)).eval_run_id);
  },
};

const stuckRun: Drill = {
  name: 'stuck-record',
  async run(world) {
    const { panel, service } = world;
    const { validator, evalRunId } = await runUnderWay(world);
    const beating = keepBeating(validator, evalRunId);
    // What a defect of an owner would look like: the row says that the lease is long over.
    const spoil = async () => {
      await service.sql`
        update evaluation_run set lease_expires_at = rt.clock() - interval '1 minute'
        where eval_run_id = ${evalRunId}`;
      await service.sql`delete from run_beat where eval_run_id = ${evalRunId}`;
    };
    const spoiling = setInterval(() => void spoil().catch(() => undefined), 200);
    try {
      const why = 'its lease is over and it was not ended';
      const found = await panel.seesStuck('evaluation-run', why);
      assert.deepEqual(
        found.map(({ id }) => id),
        [evalRunId],
      );
      await panel.seesMetric('paddock_stuck', (count) => count > 0, { labels: 'evaluation-run' });
      await panel.seesLog('records are stuck');
    } finally {
      clearInterval(spoiling);
    }
    await beating.stop();
    const route = 'POST /v1/admin/evaluation-runs/{eval_run_id}/reclaim';
    await panel.order(route, { params: { eval_run_id: evalRunId }, body: { reason: 'stuck' } });
    await panel.seesMetric('paddock_stuck', (count) => count === 0, { labels: 'evaluation-run' });
  },
};

const parkedMessage: Drill = {
  name: 'parked-message',
  async run(world) {
    const { panel, service } = world;
    const agentVersionId = await world.submit(await world.newMiner());
    // What a defect would look like: the database does not take what the decision writes.
    await service.sql`
      alter table agent_version
      add constraint drill_defect check (state <> 'DISCARDED') not valid`;
    try {
      await ordersInVain(world, agentVersionId);
      await isParked(world);
    } finally {
      await service.sql`alter table agent_version drop constraint drill_defect`;
    }
    const { parked_messages: parked } = await panel.order('GET /v1/admin/parked-messages');
    const [message] = parked as readonly { readonly msg_id: string }[];
    const params = { msg_id: message?.msg_id ?? '' };
    const route = 'POST /v1/admin/parked-messages/{msg_id}/resend';
    await panel.order(route, { params, body: { reason: 'it is repaired' } });
    await until(async () => (await stateOf(world, agentVersionId)) === 'DISCARDED', 60_000);
    await panel.seesMetric('paddock_stuck', (count) => count === 0, { labels: 'parked-message' });
    const overview = await panel.order('GET /v1/admin/overview');
    assert.equal(overview['parked_messages'], 0);
    const { entries } = (await panel.ask('GET', '/v1/admin/audit-log')).body;
    assert.match(JSON.stringify(entries), /message\.resend/);
  },
};

/** One order that its actor cannot carry out, however often it tries. */
async function ordersInVain({ panel }: DrillWorld, agentVersionId: string): Promise<void> {
  const path = `/v1/admin/agent-versions/${agentVersionId}/discard`;
  const { status, body } = await panel.ask('POST', path, { reason: 'a drill' });
  assert.equal(status, 503);
  assert.equal(body['error_code'], 'OUTCOME_UNKNOWN');
  panel.names.add('`OUTCOME_UNKNOWN`');
}

/** Twenty deliveries are a second further apart each time, and the outbox lets go of the message then. */
async function isParked({ panel, service }: DrillWorld): Promise<void> {
  const listed = async () => (await panel.order('GET /v1/admin/parked-messages'))['total'];
  await until(async () => (await listed()) === 1, 600_000);
  await panel.seesStuck('parked-message', 'it failed too often');
  await panel.seesMetric('paddock_stuck', (count) => count > 0, { labels: 'parked-message' });
  const overview = await panel.order('GET /v1/admin/overview');
  assert.equal(overview['parked_messages'], 1);
  panel.names.add('parked_messages');
  await panel.seesLog('command failed');
  await panel.seesLog('message set aside');
  await until(async () => {
    const waiting = await service.sql`
      select 1 from rt.outbox o join rt.poison m on m.msg_id = o.msg_id`;
    return waiting.length === 0;
  }, 30_000);
}

async function stateOf({ panel }: DrillWorld, agentVersionId: string): Promise<unknown> {
  const path = `/v1/public/agent-versions/${agentVersionId}/status`;
  return (await panel.ask('GET', path)).body['state'];
}

const expiryBrake: Drill = {
  name: 'expiry-brake',
  async run(world) {
    const { panel } = world;
    await world.submit(await world.newMiner());
    const validators = [];
    for (let index = 0; index < crowd; index++) validators.push(await world.newValidator());
    const claims = await Promise.all(validators.map((each) => claim(each)));
    await panel.seesMetric('paddock_lease_live', (count) => count >= crowd);
    // All fall silent at once.
    await panel.seesMetric('paddock_lease_expiry_brake', (count) => count > 0);
    // The network is mended within the lease that the brake gave.
    const statuses = await Promise.all(
      validators.map((each, index) => beat(each, claims[index]?.eval_run_id ?? '')),
    );
    assert.deepEqual([...new Set(statuses)], [200], 'no punctual validator has lost its run');
    await Promise.all(
      validators.map((each, index) => giveBack(each, claims[index]?.eval_run_id ?? '')),
    );
    await panel.seesMetric('paddock_lease_expiry_brake', (count) => count === 0);
  },
};

const raceWithoutEnd: Drill = {
  name: 'race-without-end',
  async run(world) {
    const { panel } = world;
    const overview = async () => {
      const { current_race: race } = await panel.order('GET /v1/admin/overview');
      return race as { race_id: string; status: string; race_number: number };
    };
    const before = await overview();
    const params = { race_id: before.race_id };
    const body = { reason: 'its validators are gone' };
    await panel.order('POST /v1/admin/races/{race_id}/cancel', { params, body });
    await until(async () => (await overview()).race_number === before.race_number + 1, 30_000);
    await panel.seesRefusal('RACE_OVER', () =>
      panel.ask('POST', `/v1/admin/races/${before.race_id}/cancel`, body),
    );
    const cancelled = await panel.order('GET /v1/public/races/{race_id}', { params });
    assert.match(JSON.stringify(cancelled), /RACE_CANCELLED/);
    panel.names.add('RACE_CANCELLED');
  },
};

const raceShortOfTasks: Drill = {
  name: 'race-short-of-tasks',
  async run(world) {
    const { panel } = world;
    const overview = async () => {
      const told = await panel.order('GET /v1/admin/overview');
      return told as { current_race: { race_id: string }; race_tasks: RaceTasks | null };
    };
    // A policy counts from the next race on, so one that asks for other tasks takes its place.
    const askFor = async (tasks: number | null, askedFor: number) => {
      const { race_id } = (await overview()).current_race;
      const body = { race_tasks: tasks, reason: 'drill' };
      await panel.order('PATCH /v1/admin/policy', { body });
      const order = { params: { race_id }, body: { reason: 'drill' } };
      await panel.order('POST /v1/admin/races/{race_id}/cancel', order);
      await until(async () => (await overview()).race_tasks?.asked_for === askedFor, 30_000);
    };
    const { race_tasks: before } = await overview();
    assert.ok(before !== null && before.held_out >= before.asked_for, 'it has enough at first');
    await askFor(before.held_out + 1, before.held_out + 1);
    await panel.seesMetric('paddock_race_missing_tasks', (count) => count > 0);
    panel.names.add('`race_tasks`').add('`held_out`').add('`asked_for`');
    await askFor(null, before.asked_for);
    await panel.seesMetric('paddock_race_missing_tasks', (count) => count === 0);
  },
};

interface RaceTasks {
  readonly held_out: number;
  readonly asked_for: number;
}

const wrongSuite: Drill = {
  name: 'wrong-suite',
  async run(world) {
    const { panel, service } = world;
    const run = await runUnderWay(world);
    const before = await panel.order('GET /v1/admin/overview');
    const right = String(before['active_suite_id']);
    const [{ pack } = { pack: '' }] = await service.sql<{ pack: string }[]>`
      select env_pack_sha256 as pack from suite where suite_id = ${right}`;
    const wrong = await service.operator.send('POST', '/v1/admin/suites', {
      ...{ benchmark_name: 'Wrong', benchmark_number: 2, execution_kind: 'envpack' },
      ...{ env_pack_sha256: pack, qualifying_task_ids: ['task-0'] },
      required_successes_qualifying: crowd,
    });
    const route = 'POST /v1/admin/suites/{suite_id}/activate';
    const activate = async (id: string) => {
      await panel.order(route, { params: { suite_id: id }, body: { reason: 'drill' } });
      const { active_suite_id: active } = await panel.order('GET /v1/admin/overview');
      assert.equal(String(active), id);
    };
    await activate(String((wrong as { suite_id: number }).suite_id));
    await activate(right);
    await giveBack(run.validator, run.evalRunId);
    await panel.seesAllWell();
    const next = await runUnderWay(world);
    await giveBack(next.validator, next.evalRunId);
  },
};

const ban: Drill = {
  name: 'ban',
  async run(world) {
    const { panel } = world;
    const { validator, evalRunId } = await runUnderWay(world);
    const { hotkey } = validator;
    const order = { params: { hotkey }, body: { reason: 'false results' } };
    await panel.order('PUT /v1/admin/hotkeys/{hotkey}/ban', order);
    await panel.seesRefusal('BANNED', () => validator.request('POST', claimPath));
    await panel.order('DELETE /v1/admin/hotkeys/{hotkey}/ban', order);
    await until(async () => (await beat(validator, evalRunId)) === 409, 30_000);
    await giveBack(validator, (await claim(validator)).eval_run_id);
  },
};

const refusedCredential: Drill = {
  name: 'credential-refused',
  faults: ['A provider refuses a credential'],
  async run(world) {
    const { panel } = world;
    const miner = await world.newMiner();
    const path = '/v1/miner/inference-auth/providera';
    await panel.seesRefusal('CREDENTIAL_REJECTED', () =>
      miner.request('POST', path, { json: { credential: 'revoked' } }),
    );
    const mended = await miner.request('POST', path, { json: { credential: 'demo-new' } });
    assert.equal(mended.status, 200, mended.text);
    const { keys } = await panel.order('GET /v1/admin/credential-keys');
    const [key, ...others] = keys as readonly CredentialKey[];
    assert.ok(key !== undefined && others.length === 0, 'there is one key, and no other');
    assert.ok(key.text_count > 0, 'the new credential rests under it');
    panel.names.add('can_be_removed');
    assert.equal(key.can_be_removed, false, 'with it the credential would go');
  },
};

interface CredentialKey {
  readonly text_count: number;
  readonly can_be_removed: boolean;
}

const brokenAuditLog: Drill = {
  name: 'audit-broken',
  async run(world) {
    const { panel, service } = world;
    const env = await ownerEnv(world);
    const verify = () => panel.runs('npm run verify -- --audit', ['--audit'], env);
    const good = await verify();
    assert.equal(good.code, 0, good.text);
    const [entry] = await service.sql<{ seq: string; reason: string | null }[]>`
      select seq, reason from audit_log order by seq limit 1`;
    assert.ok(entry !== undefined);
    const write = async (reason: string | null) => {
      await service.sql.begin(async (tampering) => {
        // Whoever can do this is the database's owner: no process of the service may.
        await tampering`set local session_replication_role = replica`;
        await tampering`update audit_log set reason = ${reason} where seq = ${entry.seq}`;
      });
    };
    await write('nothing of the kind');
    const bad = await verify();
    assert.equal(bad.code, 1, bad.text);
    assert.match(bad.text, new RegExp(`entry ${entry.seq}`));
    await write(entry.reason);
    assert.equal((await verify()).code, 0);
  },
};

const violated: Drill = {
  name: 'live-check',
  async run(world) {
    const { panel, service } = world;
    const env = await ownerEnv(world);
    const verify = () => panel.runs('npm run verify -- --live', ['--live'], env);
    await world.submit(await world.newMiner());
    const good = await verify();
    assert.equal(good.code, 0, good.text);
    const spoil = (by: number) => service.sql`
      update work_item set included_success_count = included_success_count + ${by}
      where work_item_id = (select min(work_item_id::text)::uuid from work_item)`;
    await spoil(1);
    try {
      const bad = await verify();
      assert.equal(bad.code, 1, bad.text);
      assert.match(bad.text, /violated/);
    } finally {
      await spoil(-1);
    }
    const mended = await verify();
    assert.equal(mended.code, 0, mended.text);
  },
};

export const recordDrills: readonly Drill[] = [
  silentValidator,
  stuckRun,
  parkedMessage,
  expiryBrake,
  raceWithoutEnd,
  raceShortOfTasks,
  wrongSuite,
  ban,
  refusedCredential,
  brokenAuditLog,
  violated,
];
