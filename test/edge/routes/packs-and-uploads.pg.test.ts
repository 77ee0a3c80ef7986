import { createHash, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { artifactUpload, logUpload, packDelivery } from '../../spec/answers/deliveries.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  agentCode,
  claim,
  complete,
  episodes,
  runPath,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import {
  okBody,
  openTrialSuite,
  type TrialSuite,
  trialManifest,
  trialTasks,
  uploadPack,
} from '../../support/trial-suite.ts';
import { invalid, refused, shaped, unkept } from './answers.ts';

const bytesMax = 5000;
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let service: TestService;
let suite: TrialSuite;
let validator: TestKey;
let evalRunId: string;
let problemId: string;
test.before(async () => {
  service = await startTestService({
    env: { ARTIFACT_BYTES_MAX: String(bytesMax), LOG_UPLOAD_BYTES_MAX: String(bytesMax) },
  });
  suite = await openTrialSuite(service);
  validator = await service.validator('validator');
  await submit(await service.miner('miner'));
  evalRunId = (await claim(validator)).eval_run_id;
  const answer = await validator.get(runPath(evalRunId, 'problems'));
  const { problems } = await okBody<{ problems: { problem_id: string }[] }>(answer);
  problemId = problems[0]?.problem_id ?? '';
});
test.after.always(() => service?.stop());

const packPath = (hash: string | null) => `/v1/validator/pack/${hash}`;

test('a pack is delivered as what its hash and size say, with the qualifying tasks alone', async (t) => {
  const answer = unkept(t, await validator.get(packPath(suite.packSha256)));
  const pack = await shaped(t, packDelivery, answer);

  t.is(pack.pack_sha256, suite.packSha256 ?? '');
  t.is(pack.delivery_scope, 'qualifying');
  t.deepEqual(pack.delivery_task_ids, ['task-000', 'task-001', 'task-002']);
  t.is(pack.task_count, 3);
  t.deepEqual(pack.family_counts, { 'find-product': 1, 'best-rated': 1, voucher: 1 });
  const { display_name: _name, environment_revision: _revision, ...versions } = trialManifest;
  t.like(pack, versions);
  t.false(pack.download_url.includes('localhost'));
  const lifeMs = Date.parse(pack.download_url_expires_at) - Date.now();
  t.true(Math.abs(lifeMs - 900_000) < 10_000);
  const bytes = new Uint8Array(await (await fetch(pack.download_url)).arrayBuffer());
  t.is(bytes.length, pack.download_url_size_bytes);
  t.is(sha256(bytes), pack.download_url_sha256);
  const text = gunzipSync(bytes).toString();
  for (const { task_id, answer: secret } of trialTasks(5)) {
    const isDelivered = pack.delivery_task_ids.includes(task_id);
    t.is(text.includes(secret), isDelivered, `${task_id}, with all that the pack says of it`);
  }
  t.true(text.includes('every product'), 'other files travel unchanged');
});

test('the sub-archive is built once, and by another edge no differently', async (t) => {
  const asks = Array.from({ length: 5 }, () => validator.get(packPath(suite.packSha256)));

  const hashes = new Set<string>();
  for (const answer of await Promise.all(asks)) {
    hashes.add((await shaped(t, packDelivery, answer)).download_url_sha256);
  }

  t.is(hashes.size, 1);
});

test('a pack that is not the caller’s to have is unknown', async (t) => {
  const idle = await uploadPack(service, trialTasks(9));

  await refused(t, await validator.get(packPath(idle)), '404 PACK_NOT_FOUND');
  await refused(t, await validator.get(packPath('a'.repeat(64))), '404 PACK_NOT_FOUND');
  for (const hash of ['a'.repeat(63), 'A'.repeat(64), `${'a'.repeat(64)}%0a`, 'g'.repeat(64)]) {
    t.is(await invalid(t, await validator.get(packPath(hash))), 'path.pack_sha256');
  }
  const miner = await service.miner('pack miner');
  await refused(t, await miner.get(packPath(suite.packSha256)), '401 WRONG_ROLE');
});

const artifactPath = '/v1/validator/episode-artifacts/presign';
const artifactBody = (bytes: string, overrides: object = {}) => ({
  eval_run_id: evalRunId,
  env_pack_sha256: suite.packSha256,
  artifact_sha256: sha256(bytes),
  content_length: Buffer.byteLength(bytes),
  ...overrides,
});

const put = async (url: string, body: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { method: 'PUT', body, headers });
  await answer.arrayBuffer();
  return answer.status;
};

test('an artifact’s URL takes its bytes and no others, with nothing but a content type', async (t) => {
  const bytes = `artifact ${randomUUID()}`;
  const type = { 'content-type': 'application/gzip' };
  const answer = unkept(t, await validator.post(artifactPath, artifactBody(bytes)));
  const target = await shaped(t, artifactUpload, answer);
  t.is(target.artifact_sha256, sha256(bytes));
  t.is(target.artifact_uri, `s3://paddock/episodes/${sha256(bytes)}`);
  t.false(target.upload_url.includes('localhost'));

  t.true((await put(target.upload_url, bytes.replace('artifact', 'Artifact'), type)) >= 400);
  t.true((await put(target.upload_url, `${bytes}!`, type)) >= 400, 'another length');
  t.true((await put(target.upload_url, bytes.slice(1), type)) >= 400, 'another length');
  t.is(await put(target.upload_url, bytes, type), 200);
  t.true((await put(target.upload_url, bytes.replace('artifact', 'Artifact'), type)) >= 400);
  const moved = new URL(target.upload_url);
  moved.pathname = moved.pathname.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  t.true((await put(moved.href, bytes, type)) >= 400, 'another key');
});

test('an artifact is presigned for the run’s own pack and within the limit', async (t) => {
  const foreign = artifactBody('x', { env_pack_sha256: 'b'.repeat(64) });
  await refused(t, await validator.post(artifactPath, foreign), '409 PACK_MISMATCH');
  for (const tooLong of [bytesMax + 1, Number.MAX_SAFE_INTEGER]) {
    const body = artifactBody('x', { content_length: tooLong });
    await refused(t, await validator.post(artifactPath, body), '413 FILE_TOO_LARGE');
  }
  const exact = artifactBody('x', { content_length: bytesMax });
  t.is((await validator.post(artifactPath, exact)).status, 200);
  const wrong: readonly (readonly [object, string])[] = [
    ...[0, -1, 1.5, '100', 2 ** 53, null].map(
      (length) => [{ content_length: length }, 'body.content_length'] as const,
    ),
    [{ artifact_sha256: 'A'.repeat(64) }, 'body.artifact_sha256'],
    [{ env_pack_sha256: 'a'.repeat(65) }, 'body.env_pack_sha256'],
    [{ eval_run_id: `{${evalRunId}}` }, 'body.eval_run_id'],
  ];
  for (const [overrides, where] of wrong) {
    const answer = await validator.post(artifactPath, artifactBody('x', overrides));
    t.is(await invalid(t, answer), where, JSON.stringify(overrides));
  }
});

const logPath = '/v1/validator/uploads/presign';
const logBody = (overrides: object = {}) => ({
  eval_run_id: evalRunId,
  problem_id: problemId,
  content_length: 4,
  ...overrides,
});

test('a log’s URL takes a PUT with its content type, and each upload has its own key', async (t) => {
  const answer = unkept(t, await validator.post(logPath, logBody()));
  const target = await shaped(t, logUpload, answer);
  const again = await shaped(t, logUpload, await validator.post(logPath, logBody()));

  t.not(again.results_s3_key, target.results_s3_key, 'logs may be sent again');
  const lifeMs = Date.parse(target.expires_at) - Date.now();
  t.true(Math.abs(lifeMs - 900_000) < 10_000);
  t.true((await put(target.upload_url, 'logs!', { 'content-type': 'application/gzip' })) >= 400);
  t.is(await put(target.upload_url, 'logs', { 'content-type': 'application/gzip' }), 200);
  const typed = logBody({ content_type: 'text/plain' });
  const plain = await shaped(t, logUpload, await validator.post(logPath, typed));
  t.is(await put(plain.upload_url, 'logs', { 'content-type': 'text/plain' }), 200);
});

test('nothing that was read of what was handed in changes afterwards, whoever holds which URL', async (t) => {
  const own = await service.validator('one that changes its mind');
  const run = await claim(own);
  const { problems } = await okBody<{ problems: { problem_id: string }[] }>(
    await own.get(runPath(run.eval_run_id, 'problems')),
  );
  const gzip = { 'content-type': 'application/gzip' };
  const ofRun = { eval_run_id: run.eval_run_id };
  const bytes = `artifact ${randomUUID()}`;
  const asked = await own.post(artifactPath, artifactBody(bytes, ofRun));
  const artifact = await shaped(t, artifactUpload, asked);
  const logAsked = { ...ofRun, problem_id: problems[0]?.problem_id };
  const log = await shaped(t, logUpload, await own.post(logPath, logBody(logAsked)));
  t.is(await put(artifact.upload_url, bytes, gzip), 200);
  t.is(await put(log.upload_url, 'logs', gzip), 200);
  const failed = { terminal_status: 'FAILED', failure_class: 'VALIDATOR' };
  const named = { ...failed, results_s3_key: log.results_s3_key };
  await okBody(await complete(own, run.eval_run_id, named));
  const bundle = { artifact_type: 'EVAL_LOGS_BUNDLE', ...ofRun };
  const read = async () => {
    const answer = await service.call('POST', '/v1/public/artifacts/download-url', {
      body: bundle,
    });
    const { download_url: url } = await okBody<{ download_url: string }>(answer);
    return await (await fetch(url)).text();
  };
  t.is(await read(), 'logs');

  t.is(await put(artifact.upload_url, bytes.toUpperCase(), gzip), 400);
  t.is(await put(log.upload_url, 'LOGS', gzip), 200, 'S3 takes it, for its URL says no condition');
  t.is(await read(), 'logs');
  const again = artifactBody(bytes, ofRun);
  t.true((await own.post(artifactPath, again)).status >= 400, 'no URL after the end');
  // What may be read may not be written, deleted or listed by the same URL.
  const pack = await shaped(t, packDelivery, await validator.get(packPath(suite.packSha256)));
  for (const url of [run.code_download_url, pack.download_url]) {
    const before = sha256(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    for (const method of ['PUT', 'POST', 'DELETE']) {
      const answer = await fetch(url, { method, ...(method !== 'DELETE' && { body: 'x' }) });
      await answer.text();
      t.true(answer.status >= 400, `${method} ${answer.status}`);
    }
    const folder = new URL(url);
    folder.pathname = folder.pathname.split('/').slice(0, 2).join('/');
    t.is((await fetch(folder)).status, 403);
    t.is(sha256(new Uint8Array(await (await fetch(url)).arrayBuffer())), before);
  }
  // The same file and the same pack by somebody else leave one object, as it was.
  t.is(run.code_sha256, sha256(agentCode));
  await submit(await service.miner('copyist'));
  const code = await (await fetch(run.code_download_url)).text();
  t.is(code, agentCode);
  t.is(await uploadPack(service, trialTasks(5)), suite.packSha256 ?? '');
});

// Alone, for few may work on one version at once.
test.serial('what a validator sent is given out as a file, whatever it called it', async (t) => {
  const own = await service.validator('one that sends pages');
  const { eval_run_id } = await claim(own);
  const { problems } = await okBody<{ problems: { problem_id: string }[] }>(
    await own.get(runPath(eval_run_id, 'problems')),
  );
  const problem_id = problems[0]?.problem_id;
  const page = `<script>alert('${randomUUID()}')</script>`;
  const html = { 'content-type': 'text/html' };
  const [log, artifact] = [
    await shaped(
      t,
      logUpload,
      await own.post(logPath, {
        ...{ eval_run_id, problem_id, content_length: page.length, content_type: 'text/html' },
      }),
    ),
    await shaped(
      t,
      artifactUpload,
      await own.post(artifactPath, artifactBody(page, { eval_run_id })),
    ),
  ];
  for (const { upload_url: url } of [log, artifact]) t.is(await put(url, page, html), 200);
  const progress = [{ problem_id, status: 'SUCCESS', logs_s3_key: log.results_s3_key }];
  await okBody(await own.post(runPath(eval_run_id, 'progress'), { problems: progress }));
  const { results } = await sendResults(
    own,
    episodes(eval_run_id, suite, () => ({ ledger_uri: artifact.artifact_uri })),
  );
  const end = { terminal_status: 'FAILED', failure_class: 'VALIDATOR' };
  await okBody(await complete(own, eval_run_id, { ...end, results_s3_key: log.results_s3_key }));
  const episode_result_id = results[0]?.episode_result_id ?? '';

  const given = [
    [{ artifact_type: 'EVAL_LOGS_BUNDLE', eval_run_id }, `logs-${eval_run_id}.gz`],
    [{ artifact_type: 'EVAL_PROBLEM_LOGS', eval_run_id, problem_id }, `logs-${problem_id}.gz`],
    [{ artifact_type: 'EPISODE', episode_result_id }, `episode-${episode_result_id}.json`],
  ] as const;
  for (const [body, name] of given) {
    const asked = await service.call('POST', '/v1/public/artifacts/download-url', { body });
    const { download_url: url } = await okBody<{ download_url: string }>(asked);
    const answer = await fetch(url, { headers: { origin: 'https://elsewhere.invalid' } });
    const isLog = name.endsWith('.gz');
    t.is(
      answer.headers.get('content-type'),
      isLog ? 'application/gzip' : 'application/octet-stream',
    );
    t.is(answer.headers.get('content-disposition'), `attachment; filename="${name}"`);
    t.is(answer.headers.get('access-control-allow-origin'), '*');
    t.is(await answer.text(), page);
  }
});

test('a run has its share of uploads, and what it has may be presigned again', async (t) => {
  const own = await service.validator('one that uploads without end');
  await submit(await service.miner('miner of much'));
  const { eval_run_id } = await claim(own);
  const { problems } = await okBody<{ problems: { problem_id: string }[] }>(
    await own.get(runPath(eval_run_id, 'problems')),
  );
  const artifact = (index: number) => artifactBody(`of many ${index}`, { eval_run_id });
  const log = logBody({ eval_run_id, problem_id: problems[0]?.problem_id });
  for (let index = 0; index < 40; index += 1) {
    t.is((await own.post(artifactPath, artifact(index))).status, 200);
    t.is((await own.post(logPath, log)).status, 200);
  }

  await refused(t, await own.post(artifactPath, artifact(40)), '409 AT_CAPACITY');
  await refused(t, await own.post(logPath, log), '409 AT_CAPACITY');

  t.is((await own.post(artifactPath, artifact(0))).status, 200);
});

test('a log is presigned for a problem of the run and within the limit', async (t) => {
  const foreign = logBody({ problem_id: randomUUID() });
  await refused(t, await validator.post(logPath, foreign), '400 INVALID_PROBLEM_ID');
  const tooLong = logBody({ content_length: bytesMax + 1 });
  await refused(t, await validator.post(logPath, tooLong), '413 FILE_TOO_LARGE');
  for (const length of [0, -1, 1.5, '100', 2 ** 53]) {
    const answer = await validator.post(logPath, logBody({ content_length: length }));
    t.is(await invalid(t, answer), 'body.content_length');
  }
  for (const type of ['', 'gzip', 'a/b\r\nx: y']) {
    const answer = await validator.post(logPath, logBody({ content_type: type }));
    t.is(await invalid(t, answer), 'body.content_type', type);
  }
});
