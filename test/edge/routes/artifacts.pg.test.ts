import { createHash, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import {
  instant,
  integer,
  score,
  sha256,
  text,
  uuid,
  versionState,
} from '../../spec/answers/atoms.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import {
  agentCode,
  claim,
  complete,
  episodes,
  runPath,
  type Submitted,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import { plantEntrant, plantRace, plantSuite, plantTop } from '../../support/planted-races.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../../support/trial-suite.ts';
import { invalid, refused, shaped } from './answers.ts';

const fiveDays = 432_000;
const submitted = async (name: string) =>
  await submit(await service.miner(name), { name, file: `${agentCode}# ${name}\n` });
const hashOf = (bytes: string) => createHash('sha256').update(bytes).digest('hex');

let service: TestService;
let suite: TrialSuite;
/** Whose races nobody but this file decides on. */
let planted: number;
test.before(async () => {
  service = await startTestService({ env: { COOLDOWN_SECONDS: '0', MAX_CONCURRENT_RUNS: '50' } });
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  planted = await plantSuite(service.sql, suite.packSha256);
});
test.after.always(() => service?.stop());

const downloadPath = '/v1/public/artifacts/download-url';
const ask = (body: unknown) => service.call('POST', downloadPath, { body });
const target = z.strictObject({ download_url: text, expires_at: instant });

async function downloaded(t: ExecutionContext, body: object): Promise<string> {
  const { download_url, expires_at } = await shaped(t, target, await ask(body));
  t.false(download_url.includes('localhost'));
  t.true(Math.abs(Date.parse(expires_at) - Date.now() - 900_000) < 10_000);
  const answer = await fetch(download_url);
  t.is(answer.status, 200);
  return await answer.text();
}

const put = async (url: string, body: string) => {
  const headers = { 'content-type': 'application/gzip' };
  const answer = await fetch(url, { method: 'PUT', body, headers });
  if (answer.status !== 200) throw new Error(await answer.text());
};

type Version = Pick<Submitted, 'agent_version_id'>;

interface Evaluated extends Version {
  readonly evalRunId: string;
  readonly problemId: string;
  readonly otherProblemId: string;
  readonly logsKey: string;
  readonly resultsKey: string;
  /** Where its validator put them, and may again for a quarter of an hour. */
  readonly uploadUrls: { readonly logs: string; readonly bundle: string };
  readonly episodeResultId: string;
  readonly bareResultId: string;
  readonly texts: { readonly logs: string; readonly bundle: string; readonly ledger: string };
}

/** A version that one validator evaluated, with every kind of artifact, as clients make them. */
async function evaluated(ledger = ` {"of": "${randomUUID()}"}`): Promise<Evaluated> {
  const name = randomUUID();
  await submitted(name);
  const validator = await service.validator(`validator of ${name}`);
  // Of whichever version is next, since tests run side by side.
  const { eval_run_id: evalRunId, agent_version_id } = await claim(validator);
  const texts = { logs: `logs ${name}`, bundle: `bundle ${name}`, ledger };
  const listed = await okBody<{ problems: { problem_id: string }[] }>(
    await validator.get(runPath(evalRunId, 'problems')),
  );
  const [problemId = '', otherProblemId = ''] = listed.problems.map((row) => row.problem_id);
  const upload = async (content: string) => {
    const body = { eval_run_id: evalRunId, problem_id: problemId, content_length: content.length };
    const made = await okBody<{ upload_url: string; results_s3_key: string }>(
      await validator.post('/v1/validator/uploads/presign', body),
    );
    await put(made.upload_url, content);
    return { key: made.results_s3_key, url: made.upload_url };
  };
  const { key: logsKey, url: logsUrl } = await upload(texts.logs);
  const { key: resultsKey, url: bundleUrl } = await upload(texts.bundle);
  const artifact = await okBody<{ upload_url: string; artifact_uri: string }>(
    await validator.post('/v1/validator/episode-artifacts/presign', {
      eval_run_id: evalRunId,
      env_pack_sha256: suite.packSha256,
      artifact_sha256: hashOf(texts.ledger),
      content_length: texts.ledger.length,
    }),
  );
  await put(artifact.upload_url, texts.ledger);
  const problems = [{ problem_id: problemId, status: 'SUCCESS', logs_s3_key: logsKey }];
  await okBody(await validator.post(runPath(evalRunId, 'progress'), { problems }));
  const ledgerOf = (index: number) => ({ ledger_uri: index === 0 ? artifact.artifact_uri : null });
  const { results } = await sendResults(validator, episodes(evalRunId, suite, ledgerOf));
  const end = { terminal_status: 'SUCCESS', validator_score: 0.5, results_s3_key: resultsKey };
  await okBody(await complete(validator, evalRunId, end));
  return {
    ...{ agent_version_id, evalRunId, problemId, otherProblemId, logsKey, resultsKey, texts },
    uploadUrls: { logs: logsUrl, bundle: bundleUrl },
    episodeResultId: results[0]?.episode_result_id ?? '',
    bareResultId: results[1]?.episode_result_id ?? '',
  };
}

const codeOf = (made: Version) => ({
  artifact_type: 'AGENT_CODE',
  agent_version_id: made.agent_version_id,
});
const bundleOf = (made: Evaluated) => ({
  artifact_type: 'EVAL_LOGS_BUNDLE',
  eval_run_id: made.evalRunId,
});
const logsOf = (made: Evaluated, problemId = made.problemId) => ({
  artifact_type: 'EVAL_PROBLEM_LOGS',
  eval_run_id: made.evalRunId,
  problem_id: problemId,
});
const episodeOf = (made: Evaluated, id = made.episodeResultId) => ({
  artifact_type: 'EPISODE',
  episode_result_id: id,
});

const submittedAgo = (made: Version, seconds: number) => service.sql`
  update agent_version set submitted_at = date_trunc('milliseconds', rt.clock()) - ${seconds} * interval '1 second'
  where agent_version_id = ${made.agent_version_id}`;

const detailsPath = (made: Version) => `/v1/public/agent-versions/${made.agent_version_id}`;
const details = z.strictObject({
  agent_version_id: uuid,
  agent_id: uuid,
  agent_name: text,
  miner_hotkey: text,
  version_number: integer,
  submitted_at: instant,
  state: versionState,
  final_score: score.nullable(),
  race_scores: z.array(
    z.strictObject({
      race_id: uuid,
      race_number: integer,
      race_score: score.nullable(),
      weighted_score: score.nullable(),
    }),
  ),
  released_at: instant,
  release_reason: z.enum(['TOP', 'AGED']),
  code_sha256: sha256,
  code_size_bytes: integer,
});

test('code is private for five days, and then whoever asks gets it', async (t) => {
  const made = await submitted('aged');
  await refused(t, await ask(codeOf(made)), '404 ARTIFACT_NOT_RELEASED');
  await refused(t, await service.call('GET', detailsPath(made)), '404 ARTIFACT_NOT_RELEASED');
  await submittedAgo(made, fiveDays - 5);
  await refused(t, await ask(codeOf(made)), '404 ARTIFACT_NOT_RELEASED');

  await submittedAgo(made, fiveDays);

  t.is(await downloaded(t, codeOf(made)), `${agentCode}# aged\n`);
  const shown = await shaped(t, details, await service.call('GET', detailsPath(made)));
  t.is(shown.release_reason, 'AGED');
  t.is(Date.parse(shown.released_at), Date.parse(shown.submitted_at) + fiveDays * 1000);
  t.is(shown.code_sha256, hashOf(`${agentCode}# aged\n`));
  t.is(shown.code_size_bytes, agentCode.length + 7);
});

test('the code of a top is public from then on, also when it reigns no more', async (t) => {
  const made = await submitted('top');
  const race = { suiteId: planted, raceNumber: 1, status: 'RACE_RUNNING' };
  const raceId = await plantRace(service.sql, race);
  const { agent_version_id: agentVersionId } = made;
  await plantEntrant(service.sql, {
    raceId,
    agentVersionId,
    raceScore: '0.5',
    weightedScore: '0.6',
  });
  await refused(t, await ask(codeOf(made)), '404 ARTIFACT_NOT_RELEASED');

  await plantTop(service.sql, raceId, agentVersionId);

  t.is(await downloaded(t, codeOf(made)), `${agentCode}# top\n`);
  await service.sql`update top_agent set ended_at = rt.clock(), end_reason = 'OUTRANKED'`;
  t.is(await downloaded(t, codeOf(made)), `${agentCode}# top\n`);
  const shown = await shaped(t, details, await service.call('GET', detailsPath(made)));
  t.is(shown.release_reason, 'TOP');
  t.deepEqual(shown.race_scores, [], 'this race is still running');
  await service.sql`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock(),
      released_at = rt.clock() + interval '1 hour'
    where race_id = ${raceId}`;
  const later = await shaped(t, details, await service.call('GET', detailsPath(made)));
  const scores = { race_score: 0.5, weighted_score: 0.6 };
  t.deepEqual(later.race_scores, [{ race_id: raceId, race_number: 1, ...scores }]);
});

test('what came of a qualifying run may be read at once', async (t) => {
  const made = await evaluated();

  t.is(await downloaded(t, bundleOf(made)), made.texts.bundle);
  t.is(await downloaded(t, logsOf(made)), made.texts.logs);
  t.is(await downloaded(t, episodeOf(made)), made.texts.ledger);
  await refused(t, await ask(logsOf(made, made.otherProblemId)), '404 ARTIFACT_NOT_FOUND');
  await refused(t, await ask(episodeOf(made, made.bareResultId)), '404 ARTIFACT_NOT_FOUND');
});

// The URL of an upload of logs binds neither their bytes nor that there are none yet, and on S3 it is
// good for a quarter of an hour, also after its run and after the publication.
test('logs that were given out stay as they were, although the URL of their upload holds on', async (t) => {
  const made = await evaluated();
  const asks = await Promise.all([1, 2, 3].map(() => ask(bundleOf(made))));
  const targets = await Promise.all(asks.map((answer) => shaped(t, target, answer)));
  t.is(await downloaded(t, logsOf(made)), made.texts.logs);

  await put(made.uploadUrls.bundle, made.texts.bundle.toUpperCase());
  await put(made.uploadUrls.logs, made.texts.logs.toUpperCase());

  t.is(await downloaded(t, bundleOf(made)), made.texts.bundle);
  t.is(await downloaded(t, logsOf(made)), made.texts.logs);
  for (const { download_url: url } of targets) {
    const answer = await fetch(url);
    t.is(answer.headers.get('content-type'), 'application/gzip');
    t.is(await answer.text(), made.texts.bundle, 'by a URL that was given out before');
  }
});

test('what came of a race is withheld until its release, and for good when it is cancelled', async (t) => {
  const made = await evaluated();
  const race = { suiteId: planted, raceNumber: 2, status: 'RACE_RUNNING' };
  const raceId = await plantRace(service.sql, race);
  await service.sql`
    update evaluation_run set phase = 'RACE', race_id = ${raceId}
    where eval_run_id = ${made.evalRunId}`;
  const all = [bundleOf(made), logsOf(made), logsOf(made, randomUUID()), episodeOf(made)];
  const sealed: readonly (readonly [status: string, releasedInSeconds: number | null])[] = [
    ['RACE_RUNNING', null],
    ['RACE_COMPLETE', null],
    ['RACE_COMPLETE', 5],
    ['RACE_CANCELLED', null],
    ['RACE_CANCELLED', -3600],
  ];
  for (const [status, releasedInSeconds] of sealed) {
    await service.sql`
      update race set status = ${status},
        released_at = rt.clock() + ${releasedInSeconds}::float8 * interval '1 second'
      where race_id = ${raceId}`;
    for (const body of all) await refused(t, await ask(body), '403 RACE_IN_FLIGHT');
  }

  await service.sql`
    update race set status = 'RACE_COMPLETE', released_at = rt.clock() where race_id = ${raceId}`;

  t.is(await downloaded(t, bundleOf(made)), made.texts.bundle);
  t.is(await downloaded(t, logsOf(made)), made.texts.logs);
  t.is(await downloaded(t, episodeOf(made)), made.texts.ledger);
});

const feedbackPath = (made: Evaluated, id = made.episodeResultId) =>
  `/v1/public/episode-results/${id}/feedback`;

test('an episode’s document is shown as it was stored, once it is released', async (t) => {
  const made = await evaluated();
  const answer = await service.call('GET', feedbackPath(made));
  t.is(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  t.is(await answer.text(), made.texts.ledger);

  const absent = '404 ARTIFACT_NOT_FOUND';
  await refused(t, await service.call('GET', feedbackPath(made, made.bareResultId)), absent);
  await refused(t, await service.call('GET', feedbackPath(made, randomUUID())), absent);
  const race = { suiteId: planted, raceNumber: 3, status: 'RACE_COMPLETE' };
  const raceId = await plantRace(service.sql, { ...race, releasedInSeconds: 5 });
  await service.sql`
    update evaluation_run set phase = 'RACE', race_id = ${raceId}
    where eval_run_id = ${made.evalRunId}`;
  await refused(t, await service.call('GET', feedbackPath(made)), absent);
  await service.sql`update race set released_at = rt.clock() where race_id = ${raceId}`;
  t.is((await service.call('GET', feedbackPath(made))).status, 200);
});

test('a ledger that is no JSON can be downloaded, not shown', async (t) => {
  const made = await evaluated('plain text');

  await refused(t, await service.call('GET', feedbackPath(made)), '404 ARTIFACT_NOT_FOUND');
  t.is(await downloaded(t, episodeOf(made)), 'plain text');
});

test('a key that was not presigned for the very run leads nowhere', async (t) => {
  const [made, other] = [await evaluated(), await evaluated()];
  const [version] = await service.sql<{ code: string }[]>`
    select code_sha256 as code from agent_version
    where agent_version_id = ${made.agent_version_id}`;
  const folder = `logs/${made.evalRunId}/`;
  const smuggled = [
    other.logsKey,
    `code/${version?.code}.py`,
    `packs/${suite.packSha256}.tar.gz`,
    `${folder}../../code/${version?.code}.py`,
    `${folder}${made.problemId}/../../${other.logsKey.slice('logs/'.length)}`,
    `${folder}${made.problemId}/%2e%2e/x.gz`,
    `/${made.logsKey}`,
    `${made.logsKey}?x`,
    folder,
    '',
  ];
  for (const key of smuggled) {
    await service.sql`
      update evaluation_run set results_s3_key = ${key} where eval_run_id = ${made.evalRunId}`;
    await service.sql`
      update problem_progress set logs_s3_key = ${key} where eval_run_id = ${made.evalRunId}`;
    await refused(t, await ask(bundleOf(made)), '404 ARTIFACT_NOT_FOUND');
    await refused(t, await ask(logsOf(made)), '404 ARTIFACT_NOT_FOUND');
  }
  const uris = [
    `s3://paddock/episodes/${hashOf(other.texts.ledger)}`,
    `s3://paddock/code/${version?.code}.py`,
    `https://other/episodes/${hashOf(made.texts.ledger)}`,
    `s3://paddock/episodes/../episodes/${hashOf(made.texts.ledger)}`,
  ];
  for (const uri of uris) {
    await service.sql`
      update episode_result set ledger_uri = ${uri}
      where episode_result_id = ${made.episodeResultId}`;
    await refused(t, await ask(episodeOf(made)), '404 ARTIFACT_NOT_FOUND');
  }
});

test('an episode is found where its bucket has another name by now, as a copy or a restored one', async (t) => {
  const made = await evaluated();
  await service.sql`
    update episode_result set ledger_uri = replace(ledger_uri, 's3://paddock/', 's3://paddock-before/')
    where episode_result_id = ${made.episodeResultId}`;

  t.is(await downloaded(t, episodeOf(made)), made.texts.ledger);
  t.is((await service.call('GET', feedbackPath(made))).status, 200);
});

test('an upload that was announced and never came is absent', async (t) => {
  const made = await evaluated();
  await service.sql`
    update evaluation_run set results_s3_key = ${made.logsKey.replace('.gz', '0.gz')}
    where eval_run_id = ${made.evalRunId}`;

  await refused(t, await ask(bundleOf(made)), '404 ARTIFACT_NOT_FOUND');
});

test('each type says which id it lacks, and none but the four is known', async (t) => {
  const id = randomUUID();
  const lacking = [
    { artifact_type: 'AGENT_CODE', eval_run_id: id },
    { artifact_type: 'AGENT_CODE', agent_version_id: null },
    { artifact_type: 'EVAL_LOGS_BUNDLE', agent_version_id: id },
    { artifact_type: 'EVAL_PROBLEM_LOGS', eval_run_id: id },
    { artifact_type: 'EVAL_PROBLEM_LOGS', problem_id: id },
    { artifact_type: 'EPISODE', eval_run_id: id },
  ];
  for (const body of lacking) await refused(t, await ask(body), '400 MISSING_PARAMETER');
  for (const type of ['', 'agent_code', 'constructor', 'PACK', 'x'.repeat(101), 'x'.repeat(9000)]) {
    const body = { artifact_type: type, agent_version_id: id };
    await refused(t, await ask(body), '400 INVALID_ARTIFACT_TYPE');
  }
  const unknown: readonly (readonly [object, `${number} ${string}`])[] = [
    [{ artifact_type: 'AGENT_CODE', agent_version_id: id }, '404 AGENT_VERSION_NOT_FOUND'],
    [{ artifact_type: 'EVAL_LOGS_BUNDLE', eval_run_id: id }, '404 EVAL_RUN_NOT_FOUND'],
    [
      { artifact_type: 'EVAL_PROBLEM_LOGS', eval_run_id: id, problem_id: id },
      '404 EVAL_RUN_NOT_FOUND',
    ],
    [{ artifact_type: 'EPISODE', episode_result_id: id }, '404 ARTIFACT_NOT_FOUND'],
  ];
  for (const [body, expected] of unknown) await refused(t, await ask(body), expected);
  const missing = `/v1/public/agent-versions/${id}`;
  await refused(t, await service.call('GET', missing), '404 AGENT_VERSION_NOT_FOUND');
  t.is(await invalid(t, await ask({})), 'body.artifact_type');
  t.is(await invalid(t, await ask({ artifact_type: 7 })), 'body.artifact_type');
  const odd = { artifact_type: 'AGENT_CODE', agent_version_id: 'x' };
  t.is(await invalid(t, await ask(odd)), 'body.agent_version_id');
});
