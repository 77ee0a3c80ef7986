import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  type Claimed,
  complete,
  episode,
  evaluate,
  runPath,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import { paddockUser } from '../../support/paddock-command.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { refused } from './answers.ts';

// What one race does to pins, packs and artifacts, from its close to its release.

const texts = { logs: 'logs of a race', ledger: '{"steps": []}' };
const pinPath = '/v1/miner/race-selection';

let service: TestService;
let suite: TrialSuite;
let miner: TestKey;
let validator: TestKey;
let agentVersionId: string;
let raceId: string;
let run: Claimed;
let artifacts: readonly object[];
/** The same for `paddock download`. */
let lines: readonly (readonly string[])[];
let bareRunId: string;
test.serial.before(async () => {
  service = await startTestService({
    env: { REQUIRED_SUCCESSES_RACE: '1', RACE_EMBARGO_SECONDS: '3600' },
  });
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  [miner, validator] = await Promise.all([service.miner('m'), service.validator('v')]);
  agentVersionId = (await submit(miner)).agent_version_id;
  bareRunId = (await evaluate(validator, suite, '0.8')).evalRunId;
});
test.after.always(() => service?.stop());

const raceStatus = async () => {
  const [race] = await service.sql<{ raceId: string; status: string }[]>`
    select race_id as "raceId", status from race
    where suite_id = ${suite.suiteId} and race_number = 1`;
  raceId = race?.raceId ?? '';
  return race?.status;
};
const pin = () => miner.request('PUT', pinPath, { body: { agent_version_id: agentVersionId } });
const download = (body: object) =>
  service.call('POST', '/v1/public/artifacts/download-url', { body });
const racePack = () => validator.post(`/v1/validator/race/${raceId}/pack`);
const put = async (url: string, body: string) => {
  const headers = { 'content-type': 'application/gzip' };
  return (await fetch(url, { method: 'PUT', body, headers })).status;
};

test.serial('until the close a pin is taken', async (t) => {
  await until(async () => (await raceStatus()) === 'QUALIFYING_OPEN');

  const pinned = await okBody<{ racing_agent_version_id: string }>(await pin());
  t.is(pinned.racing_agent_version_id, agentVersionId);
});

test.serial('from the close on pins are locked, and the pinned version is entered', async (t) => {
  const order = `/v1/admin/races/${raceId}/close-qualifying`;
  t.is((await service.operator('POST', order)).status, 200);

  await refused(t, await pin(), '409 RACE_LOCKED');
  await refused(t, await miner.request('DELETE', pinPath), '409 RACE_LOCKED');
  const [entrant] = await service.sql`
    select agent_version_id, qualification_type from race_entrant where race_id = ${raceId}`;
  t.deepEqual(entrant, { agent_version_id: agentVersionId, qualification_type: 'PINNED' });
  await until(async () => (await raceStatus()) === 'RACE_RUNNING');
});

interface Listed {
  readonly problem_id: string;
  readonly metadata: { readonly task_id: string; readonly family: string };
}

test.serial('who runs it gets the race’s tasks and uploads what came of them', async (t) => {
  await until(async () => {
    const answer = await validator.post('/v1/validator/work/claim');
    if (answer.status === 200) run = await okBody<Claimed>(answer);
    else await answer.arrayBuffer();
    return answer.status === 200;
  });
  const evalRunId = run.eval_run_id;
  const pack = await okBody<{ delivery_task_ids: string[] }>(await racePack());
  const { problems } = await okBody<{ problems: Listed[] }>(
    await validator.get(runPath(evalRunId, 'problems')),
  );
  t.deepEqual(
    problems.map(({ metadata }) => metadata.task_id),
    pack.delivery_task_ids,
  );
  t.deepEqual(pack.delivery_task_ids.toSorted(), ['task-003', 'task-004']);

  const problemId = problems[0]?.problem_id ?? '';
  const content_length = texts.logs.length;
  const logs = await okBody<{ upload_url: string; results_s3_key: string }>(
    await validator.post('/v1/validator/uploads/presign', {
      ...{ eval_run_id: evalRunId, problem_id: problemId, content_length },
    }),
  );
  t.is(await put(logs.upload_url, texts.logs), 200);
  const progress = [{ problem_id: problemId, status: 'SUCCESS', logs_s3_key: logs.results_s3_key }];
  await okBody(await validator.post(runPath(evalRunId, 'progress'), { problems: progress }));
  const ledger = await okBody<{ upload_url: string; artifact_uri: string }>(
    await validator.post('/v1/validator/episode-artifacts/presign', {
      eval_run_id: evalRunId,
      env_pack_sha256: suite.packSha256,
      artifact_sha256: createHash('sha256').update(texts.ledger).digest('hex'),
      content_length: texts.ledger.length,
    }),
  );
  t.is(await put(ledger.upload_url, texts.ledger), 200);
  const { results } = await sendResults(
    validator,
    problems.map(({ metadata }) =>
      episode(evalRunId, { suite, task: metadata as never }, { ledger_uri: ledger.artifact_uri }),
    ),
  );
  t.deepEqual(
    results.map(({ status }) => status),
    [201, 201],
  );
  artifacts = [
    { artifact_type: 'EVAL_LOGS_BUNDLE', eval_run_id: evalRunId },
    { artifact_type: 'EVAL_PROBLEM_LOGS', eval_run_id: evalRunId, problem_id: problemId },
    { artifact_type: 'EPISODE', episode_result_id: results[0]?.episode_result_id },
  ];
  lines = [
    ['--run', evalRunId],
    ['--run', evalRunId, '--problem', problemId],
    ['--episode', results[0]?.episode_result_id ?? ''],
  ];
  for (const body of artifacts) await refused(t, await download(body), '403 RACE_IN_FLIGHT');
  const end = { validator_score: 0.5, results_s3_key: logs.results_s3_key };
  await okBody(await complete(validator, evalRunId, { terminal_status: 'SUCCESS', ...end }));
});

test.serial(
  'a completed race gives up the top’s code, and the rest after its embargo',
  async (t) => {
    await until(async () => (await raceStatus()) === 'RACE_COMPLETE');

    for (const body of artifacts) await refused(t, await download(body), '403 RACE_IN_FLIGHT');
    const code = { artifact_type: 'AGENT_CODE', agent_version_id: agentVersionId };
    t.is((await download(code)).status, 200, 'it became top');
    await refused(t, await racePack(), '403 NO_ACTIVE_WORK');
    const released = `/v1/public/agent-versions/${agentVersionId}`;
    const user = await paddockUser(t, { url: service.baseUrl });
    for (const line of lines) {
      const { code, error } = await user.run('download', ...line);
      t.is(code, 5);
      t.regex(error, /This is withheld until its race is released\. Ask again at 20/);
    }
    const sealed = await user.run('status', agentVersionId, '--tasks');
    t.regex(sealed.out, /^ {2}sealed until the race is over and its embargo has passed$/m);
    const details = await okBody<object>(await service.call('GET', released));
    const scores = { race_number: 1, race_score: 0.5, weighted_score: 0.5 };
    const race_scores = [{ race_id: raceId, ...scores }];
    t.like(details, { release_reason: 'TOP', race_scores }, 'as the race tells them');
    t.is((await pin()).status, 200, 'the next race is open');

    await service.sql`update race set released_at = rt.clock() where race_id = ${raceId}`;

    const bytes: string[] = [];
    for (const body of artifacts) {
      const { download_url } = await okBody<{ download_url: string }>(await download(body));
      bytes.push(await (await fetch(download_url)).text());
    }
    t.deepEqual(bytes, [texts.logs, texts.logs, texts.ledger]);
  },
);

test.serial(
  'the command line lists and fetches what is released, and says what is not there',
  async (t) => {
    const user = await paddockUser(t, { url: service.baseUrl });
    const contents: string[] = [];
    for (const line of lines) {
      const { file, sha256 } = await user.json<Downloaded>('download', ...line);
      const content = await readFile(join(user.folder, file), 'utf8');
      t.is(sha256, createHash('sha256').update(content).digest('hex'));
      contents.push(content);
    }
    t.deepEqual(contents, [texts.logs, texts.logs, texts.ledger]);

    const { out } = await user.run('status', agentVersionId, '--tasks');
    const [, , episodeId = ''] = lines.flatMap((line) => line.slice(-1));
    t.true(out.includes(`Run ${run.eval_run_id}  SUCCESS`), out);
    t.regex(out, new RegExp(`^ {2}task-00[34] .* completed +0\\.5 +4 +${episodeId}$`, 'm'));

    const none = await user.run('download', '--run', bareRunId);
    t.is(none.code, 4);
    t.is(
      none.error,
      'paddock: The validator of this run has sent no logs of it. Look at another run of the version.\n',
    );
    const both = await user.run('status', agentVersionId, '--tasks', '--watch');
    t.is(both.code, 2);
  },
);

interface Downloaded {
  readonly file: string;
  readonly sha256: string;
}
