import { createHash, randomUUID } from 'node:crypto';
import test from 'ava';
import { idsWithin } from '../../infra/ids/ids.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { type Call, type CallOptions, caller, type TestKey } from '../support/edge-client.ts';
import {
  agentCode,
  claim,
  complete,
  episode,
  sendResults,
  submissionForm,
  submit,
} from '../support/evaluation-client.ts';
import { refusal } from '../support/framework.ts';
import { plantRace, plantSuite } from '../support/planted-races.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';

/** Cases that are no other area's, each request on the edge that the one before was not sent to. */
let service: TestService;
let suite: TrialSuite;
let miner: TestKey;
let validator: TestKey;
let versionId: string;
let run: { readonly id: string; readonly problemId: string };

let turn = 0;
const eitherEdge: Call = (...asked) => {
  turn += 1;
  return caller(service.baseUrls[turn % 2] ?? '')(...asked);
};
const by = (key: TestKey, method: string, path: string, options: CallOptions = {}) =>
  eitherEdge(method, path, { ...options, headers: { ...key.headers(), ...options.headers } });
/** On both edges, one after the other. */
async function statuses(path: string): Promise<readonly number[]> {
  const answers = [await eitherEdge('GET', path), await eitherEdge('GET', path)];
  await Promise.all(answers.map((answer) => answer.body?.cancel()));
  return answers.map(({ status }) => status);
}

test.before(async () => {
  service = await startTestService({ edges: 2 });
  suite = await openTrialSuite(service);
  miner = await service.miner('cases-miner');
  validator = await service.validator('cases-validator');
  versionId = (await submit(miner)).agent_version_id;
  const { eval_run_id: id } = await claim(validator);
  const { problems } = await okBody<{ problems: { problem_id: string }[] }>(
    await validator.get(`/v1/validator/evaluation-runs/${id}/problems`),
  );
  run = { id, problemId: problems[0]?.problem_id ?? '' };
});
test.after.always(() => service?.stop());

test('C1: another validator completes no run of theirs', async (t) => {
  const other = await service.validator('cases-other-validator');
  const body = { terminal_status: 'FAILED', failure_class: 'AGENT' };
  for (const _ of service.baseUrls) {
    const path = `/v1/validator/evaluation-runs/${run.id}/complete`;
    const answer = await by(other, 'POST', path, { body });
    t.is(answer.status, 403);
    t.is((await refusal(answer)).error_code, 'NOT_RUN_OWNER');
  }
});

test('C6: whoever is named in body, query or header, a miner reads, sets and deletes its own credential', async (t) => {
  const [one, other] = [await service.miner('cases-one'), await service.miner('cases-other')];
  const named = { hotkey: other.hotkey, miner_hotkey: other.hotkey };
  const query = `?${new URLSearchParams(named)}`;
  const headers = { 'x-miner-hotkey': other.hotkey, 'x-on-behalf-of': other.hotkey };
  const path = `/v1/miner/inference-auth/providera${query}`;
  const stored = { body: { credential: 'demo-cases-one', ...named }, headers };
  await okBody(await by(one, 'POST', path, stored));
  const listed = async (key: TestKey) =>
    await (await by(key, 'GET', `/v1/miner/inference-auth${query}`, { headers })).text();
  t.regex(await listed(one), /"connected":true/);
  t.notRegex(await listed(other), /"connected":true/);
  await okBody(
    await by(other, 'POST', '/v1/miner/inference-auth/providera', {
      body: { credential: 'demo-cases-other' },
    }),
  );
  t.is((await by(one, 'DELETE', path, { headers, body: named })).status, 200);
  t.notRegex(await listed(one), /"connected":true/);
  t.regex(await listed(other), /"connected":true/);
  const agents = await by(one, 'GET', `/v1/miner/agents${query}`, { headers });
  t.false((await agents.text()).includes(other.hotkey));
});

test('C9: unreleased code is there for nobody but who evaluates it', async (t) => {
  const body = { artifact_type: 'AGENT_CODE', agent_version_id: versionId };
  const path = '/v1/public/artifacts/download-url';
  const idle = await service.validator('cases-idle-validator');
  const other = await service.miner('cases-other-miner');
  const answers = [
    ...[await eitherEdge('POST', path, { body }), await eitherEdge('POST', path, { body })],
    ...[await by(other, 'POST', path, { body }), await by(idle, 'POST', path, { body })],
    await by(miner, 'POST', path, { body }),
  ];
  for (const answer of answers) t.is(answer.status, 404);
});

test('an id that anybody can derive from a run and a task says nothing of a race under seal', async (t) => {
  await submit(await service.miner('cases-sealed-miner'));
  const sender = await service.validator('cases-sealed-validator');
  const { eval_run_id: runId } = await claim(sender);
  const [task, ...others] = suite.tasks;
  if (task === undefined) throw new Error('the suite has tasks');
  const { results } = await sendResults(sender, [episode(runId, { suite, task })]);
  const stored = results[0]?.episode_result_id ?? '';
  const race = { suiteId: await plantSuite(service.sql, suite.packSha256), raceNumber: 1 };
  const raceId = await plantRace(service.sql, { ...race, status: 'RACE_RUNNING' });
  await service.sql`
    update evaluation_run set phase = 'RACE', race_id = ${raceId} where eval_run_id = ${runId}`;
  const tasks = [task, ...others].map(({ task_id: id }) => id);
  const guesses = [...tasks, 'find-product-07'].map(idsWithin(runId));
  t.true(guesses.includes(stored), 'the ids of results can be derived');

  for (const id of [stored, ...guesses, stored.slice(0, 19) + randomUUID().slice(19)]) {
    for (const _ of service.baseUrls) {
      const body = { artifact_type: 'EPISODE', episode_result_id: id };
      const answer = await eitherEdge('POST', '/v1/public/artifacts/download-url', { body });
      t.is(answer.status, 403, id);
      t.is((await refusal(answer)).error_code, 'RACE_IN_FLIGHT');
    }
    t.deepEqual(await statuses(`/v1/public/episode-results/${id}/feedback`), [404, 404]);
  }
});

test('D1: an id is a UUID in its one spelling', async (t) => {
  const id = randomUUID();
  const wrong = [
    ...[
      'x',
      `{${id}}`,
      id.replaceAll('-', ''),
      `urn:uuid:${id}`,
      `${id}%0a`,
      `${id}%00`,
      `%20${id}`,
    ],
    ...[id.slice(1), `${id}0`, 'null', '0', '-1', '%ff'],
  ];
  for (const each of wrong) {
    const path = `/v1/public/agent-versions/${each}/status`;
    t.deepEqual(await statuses(path), [422, 422], each);
  }
  const nil = '/v1/public/agent-versions/00000000-0000-0000-0000-000000000000/status';
  t.deepEqual(await statuses(nil), [404, 404]);
});

test('D3: a suite’s number is decimal digits', async (t) => {
  const wrong = ['1.0', '1e3', '0x1', '%201', '%D9%A1', '+1', '1_0', 'NaN', ''];
  for (const each of wrong) {
    const found = await statuses(`/v1/public/suites/${each}/problems`);
    t.deepEqual(found, each === '' ? [404, 404] : [422, 422], each);
  }
  for (const each of ['0', '-1', '2147483648', '9223372036854775808', `1${'0'.repeat(30)}`]) {
    for (const status of await statuses(`/v1/public/suites/${each}/problems`)) {
      t.true([404, 422].includes(status), `${each}: ${status}`);
    }
  }
  t.deepEqual(await statuses(`/v1/public/suites/${suite.suiteId}/problems`), [200, 200]);
});

test('D4: a page has from 1 to its most, in digits', async (t) => {
  for (const limit of ['0', '501', '-1', '100.5', '10;', '', '1e2', '%2010']) {
    t.deepEqual(await statuses(`/v1/public/leaderboard?limit=${limit}`), [422, 422], limit);
  }
  t.deepEqual(await statuses('/v1/public/races/history?limit=101'), [422, 422]);
  t.deepEqual(await statuses('/v1/public/races/history?limit=100'), [200, 200]);
  t.deepEqual(await statuses('/v1/public/leaderboard?limit=500'), [200, 200]);
});

test('D7: a search has up to 64 characters, however they are stored', async (t) => {
  const found = (q: string) => statuses(`/v1/public/leaderboard?q=${encodeURIComponent(q)}`);
  t.deepEqual(await found('a'.repeat(64)), [200, 200]);
  t.deepEqual(await found('a'.repeat(65)), [422, 422]);
  t.deepEqual(await found('😀'.repeat(64)), [200, 200]);
  t.deepEqual(await found('😀'.repeat(65)), [422, 422]);
  // That it finds what no search would is seen where the board has entries: public-reads.pg.test.ts.
  t.deepEqual(await found('  '), [200, 200]);
});

test('U1: a file of exactly the limit is taken, one byte more is not', async (t) => {
  const bytesMax = 1_000_000;
  const sized = (bytes: number) => `${agentCode}#${'x'.repeat(bytes - agentCode.length - 1)}`;
  for (const seed of ['cases-large-1', 'cases-large-2']) {
    const sender = await service.miner(seed);
    const send = (bytes: number) =>
      by(sender, 'POST', '/v1/miner/submit', {
        body: submissionForm({ name: seed, file: sized(bytes) }),
      });
    const answer = await send(bytesMax + 1);
    t.is(answer.status, 413);
    t.like(await refusal(answer), { error_code: 'FILE_TOO_LARGE', max_bytes: bytesMax });
    t.is((await send(bytesMax)).status, 200);
  }
});

const files: readonly (readonly [string, string | Uint8Array, number, string])[] = [
  ['U8: a lone 0xFF', new Uint8Array([0x78, 0x3d, 0x22, 0xff, 0x22]), 400, 'INVALID_FILE'],
  ['U8: UTF-16', Buffer.from('\ufeffx = 1\n', 'utf16le'), 400, 'INVALID_FILE'],
  [
    'U8: an overlong form',
    new Uint8Array([0x78, 0x3d, 0x22, 0xc0, 0xaf, 0x22]),
    400,
    'INVALID_FILE',
  ],
  [
    'U8: half a surrogate pair',
    new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]),
    400,
    'INVALID_FILE',
  ],
  ['U9: a syntax error', 'def agent(:\n', 400, 'INVALID_FILE'],
  ['U9: Python 2', 'print "hello"\n', 400, 'INVALID_FILE'],
  ['U9: an empty file', '', 400, 'INVALID_FILE'],
  ['U11: an insecure import', 'import subprocess\n', 400, 'INVALID_FILE'],
];

for (const [index, [title, file, status, code]] of files.entries()) {
  test(`${title} is no file of an agent`, async (t) => {
    const sender = await service.miner(`cases-file-${index}`);
    for (const _ of service.baseUrls) {
      const body = submissionForm({ name: 'shopper', file });
      const answer = await by(sender, 'POST', '/v1/miner/submit', { body });
      t.is(answer.status, status);
      t.is((await refusal(answer)).error_code, code);
    }
  });
}

test('U12: code that makes code is told where it stands', async (t) => {
  const sender = await service.miner('cases-dynamic');
  for (const _ of service.baseUrls) {
    const body = submissionForm({ name: 'shopper', file: `${agentCode}e = eval\nR = e("1+1")\n` });
    const answer = await by(sender, 'POST', '/v1/miner/submit', { body });
    t.is(answer.status, 422);
    const { error_code, violations } = (await answer.json()) as {
      error_code: string;
      violations: { line: number; column: number; rule: string }[];
    };
    t.is(error_code, 'CODE_ANALYSIS_ERROR');
    t.like(violations[0], { line: 3, column: 5 });
    t.truthy(violations[0]?.rule);
  }
});

test('U13: a second submission waits for its time', async (t) => {
  for (const _ of service.baseUrls) {
    const answer = await sendSubmissionTo(miner);
    t.is(answer.status, 429);
    const refused = (await answer.json()) as { error_code: string; remaining_seconds: number };
    const { error_code, remaining_seconds: seconds } = refused;
    t.is(error_code, 'COOLDOWN_ACTIVE');
    t.true(Number.isInteger(seconds) && seconds >= 1);
  }
});

const sendSubmissionTo = (key: TestKey) =>
  by(key, 'POST', '/v1/miner/submit', {
    body: submissionForm({ name: 'shopper', file: agentCode }),
  });

test('S1: an upload’s length is a whole number within the limit', async (t) => {
  const path = '/v1/validator/uploads/presign';
  const ask = async (content_length: unknown) => {
    const body = { content_length, eval_run_id: run.id, problem_id: run.problemId };
    return await by(validator, 'POST', path, { body });
  };
  for (const wrong of [0, -1, 1.5, '100', 2 ** 53, null, [1]]) {
    t.is((await ask(wrong)).status, 422, String(wrong));
    t.is((await ask(wrong)).status, 422, String(wrong));
  }
  const tooLarge = await ask(67_108_865);
  t.is((await refusal(tooLarge)).error_code, 'FILE_TOO_LARGE');
  t.is((await ask(67_108_864)).status, 200);
});

test('S9: what is delivered has the hash and the size that were told', async (t) => {
  for (const _ of service.baseUrls) {
    const told = await okBody<{
      download_url: string;
      download_url_sha256: string;
      download_url_size_bytes: number;
    }>(await by(validator, 'GET', `/v1/validator/pack/${suite.packSha256}`));
    const bytes = Buffer.from(await (await fetch(told.download_url)).arrayBuffer());
    t.is(createHash('sha256').update(bytes).digest('hex'), told.download_url_sha256);
    t.is(bytes.length, told.download_url_size_bytes);
  }
});

test('K1: a credential is the same by the old and the new routes, and never shown', async (t) => {
  const key = await service.miner('cases-credential');
  const secret = 'demo-cases-credential-one';
  const seen: string[] = [];
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await by(key, method, `/v1/miner/${path}`, body === undefined ? {} : { body });
    const text = await answer.text();
    seen.push(text);
    t.is(answer.status, 200, `${method} ${path}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  await ask('POST', 'inference-auth/providera', { credential: secret });
  t.like(await ask('GET', 'inference-auth/providera'), { connected: true });
  t.like(await ask('GET', 'providera-auth/status'), { connected: true });
  await ask('POST', 'inference-auth/providerb', { credential: 'demo-cases-credential-two' });
  await ask('PATCH', 'inference-auth/default', { provider: 'providerb' });
  t.like(await ask('GET', 'inference-auth'), { default_provider: 'providerb' });
  await ask('DELETE', 'inference-auth/providera');
  t.like(await ask('GET', 'providera-auth/status'), { connected: false });
  await ask('POST', 'providera-auth', { refresh_token: 'demo-cases-credential-three' });
  t.like(await ask('GET', 'inference-auth/providera'), { connected: true });
  t.notRegex(seen.join(), /demo-cases-credential/);
});

test('T8: answers are guarded by their headers, refusals too', async (t) => {
  const token = await miner.openSession();
  const headers = { authorization: `Bearer ${token}`, origin: 'https://evil.example' };
  const paths = ['/v1/miner/agents', '/v1/miner/agents', '/v1/validator/weight-salt', '/nowhere'];
  for (const path of paths) {
    const answer = await eitherEdge('GET', path, { headers });
    await answer.body?.cancel();
    t.is(answer.headers.get('x-powered-by'), null);
    t.is(answer.headers.get('x-content-type-options'), 'nosniff');
    t.is(answer.headers.get('cache-control'), 'no-store');
    t.is(answer.headers.get('access-control-allow-origin'), null);
  }
});

test('the run that others tried to end is still its validator’s to end', async (t) => {
  const mine = await service.validator('cases-last-validator');
  const { eval_run_id: id } = await claim(mine);
  const answer = await complete(mine, id, { terminal_status: 'FAILED', failure_class: 'AGENT' });
  t.is(answer.status, 200);
});
