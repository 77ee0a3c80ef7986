import test from 'ava';
import { startTraceServer, type TraceServer } from '../../infra/traces/trace-server.ts';
import { otlpBody, otlpSpan } from '../infra/traces/spans.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { agentCode, episodes, submissionForm } from '../support/evaluation-client.ts';
import { parkFormerly, parkMessage } from '../support/parked-message.ts';
import { packBytes, type TrialSuite, trialTasks } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { ContractDesk } from './contract-desk.ts';

// The operator API by the table, from an empty service to orders about what has happened in it.

let service: TestService;
let desk: ContractDesk;
let suite: TrialSuite;
let validator: TestKey;
let eval_run_id: string;
let agent_version_id: string;
let traces: TraceServer;

test.before(async () => {
  traces = await startTraceServer();
  service = await startTestService({
    env: { CLOCK: 'simulated', WEBHOOK_PRIVATE_HOSTS: '127.0.0.1', TRACES_URL: traces.url },
  });
  desk = new ContractDesk(service);
});
test.after.always(async () => {
  await service?.stop();
  await traces?.stop();
});

test.serial('a pack is kept, a suite made and activated', async (t) => {
  const tasks = trialTasks(5);
  const bytes = await packBytes(tasks);
  const kept = await desk.ask(t, 'CON-7-UPLOAD_PACK', { body: bytes });
  t.is(kept.task_count, 5);
  t.deepEqual(await desk.ask(t, 'CON-7-UPLOAD_PACK', { body: bytes }), kept, 'once more');
  const body = {
    ...{ benchmark_name: 'Trial', benchmark_number: 7, execution_kind: 'envpack' },
    ...{ env_pack_sha256: kept.pack_sha256, required_successes_qualifying: 1 },
    qualifying_task_ids: tasks.slice(0, 3).map(({ task_id }) => task_id),
  };
  const { suite_id, is_active } = await desk.ask(t, 'CON-7-CREATE_SUITE', { body });
  t.false(is_active);
  const active = await desk.ask(t, 'CON-7-ACTIVATE_SUITE', { params: { suite_id } });
  t.true(active.is_active);
  suite = { suiteId: suite_id, packSha256: kept.pack_sha256, tasks: tasks.slice(0, 3) };
  desk.seen.requireFields(
    t,
    ['CON-7-PACK.*'],
    ['CON-7-PACK.search_index_epoch null', 'CON-7-PACK.search_index_sha256 value'],
  );
});

test.serial('keys are registered and removed', async (t) => {
  const params = { hotkey: service.stranger('v').hotkey };
  const coldkey = service.stranger('cold').hotkey;
  const whole = { role: 'validator', stake: 5, coldkey, uid: 9, reason: 'new' };
  t.like(await desk.ask(t, 'CON-7-REGISTER', { params, body: whole }), { uid: 9, coldkey });
  const other = { hotkey: service.stranger('m').hotkey };
  t.is(
    (await desk.ask(t, 'CON-7-REGISTER', { params: other, body: { role: 'miner' } })).role,
    'miner',
  );
  t.true((await desk.ask(t, 'CON-7-UNREGISTER', { params })).removed);
  desk.seen.requireFields(t, ['CON-7-REGISTRATION.*']);
});

test.serial('runs are excluded and included, versions discarded and reinstated', async (t) => {
  const by = await service.miner('miner');
  validator = await service.validator('validator');
  const body = submissionForm({ name: 'agent', file: agentCode });
  agent_version_id = (await desk.ask(t, 'SPEC-MIN-01', { by, body })).agent_version_id;
  await until(async () => (await desk.ask(t, 'SPEC-PUB-16')).total > 0);
  const as = { by: validator };
  eval_run_id = (await desk.ask(t, 'CON-4-CLAIM_WORK', as)).eval_run_id;
  const params = { eval_run_id };
  await desk.ask(t, 'SPEC-VAL-04', { ...as, body: { results: episodes(eval_run_id, suite) } });
  const success = { terminal_status: 'SUCCESS', validator_score: 0.5 };
  await desk.ask(t, 'SPEC-VAL-01', { ...as, params, body: success });
  const reason = { body: { reason: 'looked at' } };
  t.false((await desk.ask(t, 'CON-7-EXCLUDE', { params, ...reason })).is_included);
  t.true((await desk.ask(t, 'CON-7-INCLUDE', { params })).is_included);
  const version = { params: { agent_version_id } };
  t.is((await desk.ask(t, 'CON-7-DISCARD', { ...version, ...reason })).state, 'DISCARDED');
  t.is((await desk.ask(t, 'CON-7-REINSTATE', version)).state, 'ELIGIBLE');
});

test.serial('who copied whom is told', async (t) => {
  const { state } = await desk.ask(t, 'OWN-SIMILARITY', { params: { agent_version_id } });
  t.true(['PENDING', 'REPORTED'].includes(state));
  t.is((await desk.ask(t, 'OWN-SIMILARITIES', { query: { verdict: 'copy' } })).total, 0);
});

test.serial('a live run is reclaimed', async (t) => {
  const by = await service.miner('another');
  const body = submissionForm({ name: 'other', file: `${agentCode}# other\n` });
  await desk.ask(t, 'SPEC-MIN-01', { by, body });
  await until(async () => (await desk.ask(t, 'SPEC-PUB-16')).total > 0);
  const claimed = await desk.ask(t, 'CON-4-CLAIM_WORK', { by: validator });
  const params = { eval_run_id: claimed.eval_run_id };
  const { status } = await desk.ask(t, 'CON-7-RECLAIM', { params });
  t.true(['STALE', 'CANCELLED'].includes(status), status);
});

test.serial('runs are judged again', async (t) => {
  const body = { agent_version_id, reason: 'a second look' };
  const made = (await desk.ask(t, 'CON-7-REJUDGE', { body })) as { rejudging_id: string };
  const params = { rejudging_id: made.rejudging_id };
  await desk.ask(t, 'OWN-REJUDGINGS');
  await desk.ask(t, 'CON-7-REJUDGING', { params });
  const early = await desk.send('CON-7-REJUDGING_APPLY', { params, body: {} });
  await desk.refuse(t, 'OWN-REJUDGING_NOT_READY', early);
  await desk.ask(t, 'CON-7-REJUDGING_CANCEL', { params, body: { reason: 'enough' } });
  const late = await desk.send('CON-7-REJUDGING_APPLY', { params, body: {} });
  await desk.refuse(t, 'OWN-REJUDGING_OVER', late);
});

test.serial('the policy is changed and read back', async (t) => {
  const changed = await desk.ask(t, 'CON-7-CHANGE_POLICY', {
    body: { qualifying_threshold: 0.6, reason: 'dearer' },
  });
  t.deepEqual(await desk.ask(t, 'CON-7-POLICY'), changed);
  t.is(changed.overrides.qualifying_threshold, 0.6);
});

test.serial('webhooks are added, shown, replayed and removed', async (t) => {
  const body = { url: 'http://127.0.0.1:9/hook', event_types: ['race-opened'] };
  const added = (await desk.ask(t, 'CON-8-ADD_WEBHOOK', { body })) as { webhook_id: string };
  const params = { webhook_id: added.webhook_id };
  await desk.ask(t, 'CON-8-WEBHOOKS');
  await desk.ask(t, 'CON-8-WEBHOOK', { params });
  await desk.ask(t, 'CON-8-REPLAY', { params, body: { cursor: 0 } });
  await desk.ask(t, 'CON-8-REMOVE_WEBHOOK', { params });
  // Gone with its secret; the answer that made it is kept, sealed, for a repeat.
  const { keys } = await desk.ask(t, 'OWN-CREDENTIAL_KEYS');
  const [key] = keys;
  t.is(keys.length, 1);
  t.like(key, { is_known: true, is_sealing: true, can_be_removed: false });
  t.deepEqual(key?.texts, { 'idempotency.reply': 1 });
});

test.serial('messages that were set aside are listed, sent again and dropped', async (t) => {
  const body = { hotkey: service.stranger('free').hotkey };
  for (const msgId of ['first', 'second']) {
    await parkMessage(service.sql, { msgId, part: 3, type: 'hotkey-unbanned', body });
  }
  await parkFormerly(service.sql, 'former');
  const { total, parked_messages } = await desk.ask(t, 'OWN-PARKED_MESSAGES');
  t.is(total, 3);
  const known = parked_messages.map((each) => [each.msg_id, each.consumer, each.can_be_resent]);
  t.deepEqual(known, [
    ['first', 'evt', true],
    ['second', 'evt', true],
    ['former', null, false],
  ]);
  t.deepEqual(JSON.parse(parked_messages[0]?.body ?? ''), body);

  const of = (msg_id: string) => ({ params: { msg_id } });
  const drop = (msg_id: string) => ({ ...of(msg_id), body: { reason: 'nobody needs it' } });
  const sent = await desk.ask(t, 'OWN-RESEND_MESSAGE', of('first'));
  t.deepEqual(sent, { msg_id: 'first', subject: 'evt.eval.3.hotkey-unbanned' });
  const gone = await desk.send('OWN-RESEND_MESSAGE', of('first'));
  await desk.refuse(t, 'OWN-PARKED_MESSAGE_NOT_FOUND', gone);
  await desk.ask(t, 'OWN-DROP_MESSAGE', drop('second'));
  const former = await desk.send('OWN-RESEND_MESSAGE', of('former'));
  await desk.refuse(t, 'OWN-NOT_RESENDABLE', former);
  await desk.ask(t, 'OWN-DROP_MESSAGE', drop('former'));
  t.is((await desk.ask(t, 'OWN-PARKED_MESSAGES')).total, 0);
});

test.serial('what runs where, what is stuck, and what was done', async (t) => {
  await desk.ask(t, 'CON-7-OVERVIEW');
  await desk.ask(t, 'CON-7-STUCK');
  const { members } = await desk.ask(t, 'CON-7-PARTITIONS');
  t.is(members.length, 1);
  const { entries } = await desk.ask(t, 'CON-7-AUDIT', { query: { limit: 500 } });
  t.true(entries.length > 10);
  const { now } = await desk.ask(t, 'OWN-CLOCK');
  const moved = await desk.ask(t, 'CON-7-ADVANCE', { body: { seconds: 5 } });
  t.true(Date.parse(moved.now) >= Date.parse(now) + 5000);
});

test.serial(
  'the last traces are listed and shown, while whoever keeps them is there',
  async (t) => {
    const body = JSON.stringify(otlpBody('edge-1', [otlpSpan()]));
    const kept = await fetch(`${traces.url}/v1/traces`, { method: 'POST', body });
    t.is(kept.status, 200);
    const query = { route: 'submit', outcome: 'done', text: 'POST', order: 'slowest', limit: 10 };
    const list = await desk.ask(t, 'OWN-TRACES', { query });
    t.like(list, { is_kept: true, sent_to: null, total: 1, limit: 10, offset: 0 });
    const trace_id = list.traces[0]?.trace_id ?? '';
    const { spans } = await desk.ask(t, 'OWN-TRACE', { params: { trace_id } });
    t.is(spans[0]?.attributes['url.path'], '/v1/miner/submit');

    await traces.stop();
    await desk.refuse(t, 'OWN-TRACES_UNAVAILABLE', await desk.send('OWN-TRACES'));
    const one = await desk.send('OWN-TRACE', { params: { trace_id } });
    await desk.refuse(t, 'OWN-TRACES_UNAVAILABLE', one);
  },
);
