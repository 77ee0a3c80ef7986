import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { CodeId } from '../spec/codes.ts';
import type { RouteId } from '../spec/routes.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { agentCode, episodes, submissionForm } from '../support/evaluation-client.ts';
import { openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { type Ask, ContractDesk } from './contract-desk.ts';

// Each refusal of the table is provoked once, with its status and the fields that it names.

let service: TestService;
let desk: ContractDesk;
let suite: TrialSuite;
let miner: TestKey;
let validator: TestKey;
let other: TestKey;
let eval_run_id: string;
let agent_version_id: string;

test.before(async () => {
  service = await startTestService({
    env: { REJECTED_SUBMISSIONS_PER_HOUR: '2', SESSION_RATE_PER_MINUTE: '3' },
  });
  desk = new ContractDesk(service);
  suite = await openTrialSuite(service);
  [miner, validator, other] = await Promise.all([
    service.miner('miner'),
    service.validator('validator'),
    service.validator('other'),
  ]);
});
test.after.always(() => service?.stop());

const nobody = randomUUID();
const upload = (file: string | Uint8Array, name = 'agent') => submissionForm({ name, file });

type Case = readonly [CodeId, RouteId, Ask?];

test.serial('who does not prove a key is told what was wrong', async (t) => {
  const route = 'SPEC-MIN-02';
  const headers = miner.headers();
  await desk.ask(t, route, { headers });
  const of = (changes: object): Ask => ({ headers: { ...miner.headers(), ...changes } });
  const cases: readonly Case[] = [
    ['CON-2-MISSING_CREDENTIALS', route],
    ['CON-2-INVALID_HOTKEY', route, of({ 'x-hotkey': '5FHneW' })],
    ['CON-2-INVALID_TIMESTAMP', route, of({ 'x-timestamp': 'now' })],
    ['CON-2-TIMESTAMP_SKEW', route, { headers: miner.headers({ offsetSeconds: -62 }) }],
    ['CON-2-INVALID_NONCE', route, of({ 'x-nonce': '1' })],
    ['CON-2-NONCE_REUSED', route, { headers }],
    ['CON-2-INVALID_SIGNATURE', route, of({ 'x-signature': `0x${'00'.repeat(64)}` })],
    ['CON-2-INVALID_SESSION', route, { headers: { authorization: 'Bearer ses_x' } }],
    ['CON-2-NOT_REGISTERED', route, { by: service.stranger('nobody') }],
    ['CON-2-WRONG_ROLE', route, { by: validator }],
    ['CON-2-WRONG_ROLE', 'SPEC-VAL-07', { by: miner }],
  ];
  for (const [code, id, asked] of cases) await desk.refuse(t, code, await desk.send(id, asked));
});

test.serial('a session is opened, used, ended and refused', async (t) => {
  const { hotkey } = miner;
  const open = async (challenge: string, signature = miner.sign(challenge)) =>
    await desk.send('SPEC-AUTH-01', { body: { hotkey, challenge, signature } });
  const { challenge } = await desk.ask(t, 'CON-2-ISSUE_CHALLENGE', { body: { hotkey } });
  const body = { hotkey, challenge, signature: miner.sign(challenge) };
  const { session_token, role } = await desk.ask(t, 'SPEC-AUTH-01', { body });
  t.is(role, 'miner');
  await desk.refuse(t, 'CON-2-INVALID_CHALLENGE', await open(challenge));
  const headers = { authorization: `Bearer ${session_token}` };
  await desk.ask(t, 'SPEC-MIN-02', { headers });
  await desk.ask(t, 'CON-2-END_SESSION', { headers });
  const ended = await desk.send('SPEC-MIN-02', { headers });
  await desk.refuse(t, 'CON-2-INVALID_SESSION', ended);
  const { challenge: second } = await desk.ask(t, 'CON-2-ISSUE_CHALLENGE', {
    body: { hotkey: validator.hotkey },
  });
  const signature = validator.sign(second);
  const as = { hotkey: validator.hotkey, challenge: second, signature };
  t.is((await desk.ask(t, 'SPEC-AUTH-01', { body: as })).role, 'validator');
  const often = await open('x');
  await desk.refuse(t, 'CON-6-RATE_LIMITED', often);
  desk.seen.requireWords(t, 'CON-2-ROLE.*');
  desk.seen.requireFields(t, ['SPEC-SESSION.*', 'CON-2-CHALLENGE.*', 'CON-2-LOGOUT.*']);
});

test.serial('a submission is refused by its name, its file and its time', async (t) => {
  const by = miner;
  const submit = async (code: CodeId, body: FormData, as = by) =>
    await desk.refuse(t, code, await desk.send('SPEC-MIN-01', { by: as, body }));
  await submit('CON-6-INVALID_AGENT_NAME', upload(agentCode, ''));
  await submit('CON-6-FILE_TOO_LARGE', upload('#'.repeat(1_000_001)));
  const unread = await submit('CON-6-INVALID_FILE', upload(Uint8Array.of(0xff, 0xfe)));
  t.true(unread.detail.startsWith('InvalidFileError:'));
  const body = upload('eval("1")\n');
  const checked = await desk.ask(t, 'CON-4-SUBMIT_CHECK', { by, body });
  t.true(checked.violations.length > 0);
  const hasty = await service.miner('hasty');
  await submit('CON-6-CODE_ANALYSIS_ERROR', upload('def f(x):\n    return eval(x)\n'), hasty);
  await submit('CON-6-CODE_ANALYSIS_ERROR', upload('def f(x):\n    return exec(x)\n'), hasty);
  await submit('CON-6-RATE_LIMITED', upload('def f(x):\n    return exec(x)\n'), hasty);
  const accepted = await desk.ask(t, 'SPEC-MIN-01', { by, body: upload(agentCode) });
  agent_version_id = accepted.agent_version_id;
  await submit('CON-6-COOLDOWN_ACTIVE', upload(agentCode));
});

test.serial('what is not there is not found, by its word', async (t) => {
  const headers = { 'content-type': 'application/json' };
  await until(async () => (await desk.ask(t, 'CON-4-RACE_CURRENT')).race !== null);
  const race_id = (await desk.ask(t, 'CON-4-RACE_CURRENT')).race?.race_id ?? '';
  const cases: readonly Case[] = [
    ['CON-6-SUITE_NOT_FOUND', 'SPEC-PUB-03', { params: { suite_id: 99 } }],
    ['CON-6-AGENT_NOT_FOUND', 'CON-4-VERSIONS', { by: miner, params: { agent_id: nobody } }],
    ['CON-6-AGENT_VERSION_NOT_FOUND', 'SPEC-PUB-08', { params: { agent_version_id: nobody } }],
    ['CON-6-EVAL_RUN_NOT_FOUND', 'SPEC-PUB-13', { params: { eval_run_id: nobody } }],
    ['CON-6-RACE_NOT_FOUND', 'CON-4-RACE', { params: { race_id: nobody } }],
    [
      'CON-6-PACK_NOT_FOUND',
      'SPEC-VAL-03',
      { by: validator, params: { pack_sha256: 'ab'.repeat(32) } },
    ],
    ['CON-6-ARTIFACT_NOT_FOUND', 'CON-4-FEEDBACK', { params: { episode_result_id: nobody } }],
    ['CON-6-REJUDGING_NOT_FOUND', 'CON-7-REJUDGING', { params: { rejudging_id: nobody } }],
    [
      'CON-6-REJUDGING_NOT_FOUND',
      'CON-7-REJUDGING_APPLY',
      { params: { rejudging_id: nobody }, body: {} },
    ],
    [
      'CON-6-REJUDGING_NOT_FOUND',
      'CON-7-REJUDGING_CANCEL',
      { params: { rejudging_id: nobody }, body: { reason: 'x' } },
    ],
    ['CON-6-WEBHOOK_NOT_FOUND', 'CON-8-WEBHOOK', { params: { webhook_id: nobody } }],
    ['CON-6-WEBHOOK_NOT_FOUND', 'CON-8-REMOVE_WEBHOOK', { params: { webhook_id: nobody } }],
    [
      'CON-6-WEBHOOK_NOT_FOUND',
      'CON-8-REPLAY',
      { params: { webhook_id: nobody }, body: { cursor: 0 } },
    ],
    ['OWN-PARKED_MESSAGE_NOT_FOUND', 'OWN-RESEND_MESSAGE', { params: { msg_id: nobody } }],
    [
      'OWN-PARKED_MESSAGE_NOT_FOUND',
      'OWN-DROP_MESSAGE',
      { params: { msg_id: nobody }, body: { reason: 'x' } },
    ],
    ['OWN-TRACE_NOT_FOUND', 'OWN-TRACE', { params: { trace_id: 'ab'.repeat(16) } }],
    ['CON-6-ACTOR_NOT_FOUND', 'CON-7-DRAIN', { params: { id: 'nobody' }, body: {}, headers }],
    ['CON-6-ARTIFACT_NOT_RELEASED', 'SPEC-PUB-11', { params: { agent_version_id } }],
    ['CON-6-UNKNOWN_PROVIDER', 'SPEC-MIN-03', { by: miner, params: { provider: 'nobody' } }],
    ['CON-6-NOT_CONNECTED', 'CON-4-DISCONNECT', { by: miner, params: { provider: 'providera' } }],
    [
      'CON-6-NOT_CONNECTED',
      'CON-4-ROTATE',
      { by: miner, params: { provider: 'providera' }, body: { credential: 'demo-1' } },
    ],
    ['CON-6-NOT_CONNECTED_DEFAULT', 'SPEC-MIN-04', { by: miner, body: { provider: 'providera' } }],
    ['CON-6-NO_ACTIVE_WORK', 'SPEC-VAL-02', { by: validator, params: { race_id } }],
  ];
  for (const [code, id, asked] of cases) await desk.refuse(t, code, await desk.send(id, asked));
  await desk.refuse(t, 'CON-6-ROUTE_NOT_FOUND', await service.call('GET', '/v1/nothing'));
  const wrong = await service.call('DELETE', '/v1/public/suites');
  t.is(wrong.headers.get('allow'), 'GET, HEAD');
  await desk.refuse(t, 'CON-6-METHOD_NOT_ALLOWED', wrong);
});

test.serial('an artifact is asked for by a known type with its ids', async (t) => {
  const download = (body: object) => desk.send('SPEC-PUB-12', { body });
  const refuse = async (code: CodeId, body: object) =>
    await desk.refuse(t, code, await download(body));
  await refuse('CON-6-INVALID_ARTIFACT_TYPE', { artifact_type: 'CODE' });
  const needs = {
    AGENT_CODE: { agent_version_id },
    EVAL_LOGS_BUNDLE: { eval_run_id: nobody },
    EVAL_PROBLEM_LOGS: { eval_run_id: nobody, problem_id: nobody },
    EPISODE: { episode_result_id: nobody },
  };
  for (const [artifact_type, ids] of Object.entries(needs)) {
    await refuse('CON-6-MISSING_PARAMETER', { artifact_type });
    const answer = await download({ artifact_type, ...ids });
    t.is(answer.status, 404, artifact_type);
    desk.seen.noteWord(`CON-3-ARTIFACT_TYPE.${artifact_type}`);
  }
  desk.seen.requireWords(t, 'CON-3-ARTIFACT_TYPE.*');
  await refuse('CON-6-ARTIFACT_NOT_RELEASED', { artifact_type: 'AGENT_CODE', agent_version_id });
});

test.serial('a run is written by its holder alone, and only as it may be', async (t) => {
  const by = validator;
  await until(async () => (await desk.ask(t, 'SPEC-PUB-16')).total > 0);
  eval_run_id = (await desk.ask(t, 'CON-4-CLAIM_WORK', { by })).eval_run_id;
  const params = { eval_run_id };
  await desk.ask(t, 'CON-4-HEARTBEAT', { by, params, body: {} });
  const problems = [{ problem_id: nobody, status: 'SUCCESS' }];
  const artifact = {
    ...{ eval_run_id, env_pack_sha256: 'ab'.repeat(32) },
    ...{ artifact_sha256: 'ab'.repeat(32), content_length: 10 },
  };
  const log = { eval_run_id, problem_id: nobody, content_length: 1e12 };
  const success = { terminal_status: 'SUCCESS', validator_score: 0.5 };
  const cases: readonly Case[] = [
    ['CON-6-AT_CAPACITY', 'CON-4-CLAIM_WORK', { by }],
    ['CON-6-NOT_RUN_OWNER', 'CON-4-HEARTBEAT', { by: other, params }],
    ['CON-6-INVALID_PROBLEM_ID', 'CON-4-REPORT_PROGRESS', { by, params, body: { problems } }],
    ['CON-6-PACK_MISMATCH', 'SPEC-VAL-05', { by, body: artifact }],
    ['CON-6-FILE_TOO_LARGE', 'SPEC-VAL-06', { by, body: log }],
    ['CON-6-MISSING_SCORE', 'SPEC-VAL-01', { by, params, body: { terminal_status: 'SUCCESS' } }],
    ['CON-6-RESULTS_INCOMPLETE', 'SPEC-VAL-01', { by, params, body: success }],
  ];
  for (const [code, id, asked] of cases) await desk.refuse(t, code, await desk.send(id, asked));
  await desk.ask(t, 'SPEC-VAL-04', { by, body: { results: episodes(eval_run_id, suite) } });
  const off = { ...success, validator_score: 0.6 };
  const mismatch = await desk.send('SPEC-VAL-01', { by, params, body: off });
  await desk.refuse(t, 'CON-6-SCORE_MISMATCH', mismatch);
  const headers = { 'idempotency-key': 'once' };
  await desk.ask(t, 'SPEC-VAL-01', { by, params, body: success, headers });
  const failed = { terminal_status: 'FAILED' };
  const again = await desk.send('SPEC-VAL-01', { by, params, body: failed });
  await desk.refuse(t, 'CON-6-RUN_ALREADY_COMPLETE', again);
});

test.serial('a body is of a size, a kind and a key', async (t) => {
  const hotkey = miner.hotkey;
  const large = JSON.stringify({ hotkey, padding: 'x'.repeat(70_000) });
  const headers = { 'content-type': 'application/json' };
  const tooLarge = await desk.send('CON-2-ISSUE_CHALLENGE', { body: large, headers });
  await desk.refuse(t, 'CON-6-BODY_TOO_LARGE', tooLarge);
  const plain = { 'content-type': 'text/plain' };
  const odd = await desk.send('CON-2-ISSUE_CHALLENGE', { body: '{}', headers: plain });
  await desk.refuse(t, 'CON-6-UNSUPPORTED_MEDIA_TYPE', odd);
  const key = { 'idempotency-key': 'order' };
  const ban = (reason: string) =>
    desk.send('CON-7-BAN', { params: { hotkey }, body: { reason }, headers: key });
  t.is((await ban('it lied')).status, 200);
  await desk.refuse(t, 'CON-6-IDEMPOTENCY_CONFLICT', await ban('another'));
  await until(async () => (await desk.send('SPEC-MIN-02', { by: miner })).status === 403);
  const banned = await desk.refuse(
    t,
    'CON-6-BANNED',
    await desk.send('SPEC-MIN-02', { by: miner }),
  );
  t.regex(banned.detail, /banned/);
  await desk.ask(t, 'CON-7-UNBAN', { params: { hotkey } });
  const advance = await desk.send('CON-7-ADVANCE', { body: { seconds: 1 } });
  await desk.refuse(t, 'OWN-CLOCK_IS_REAL', advance);
});
