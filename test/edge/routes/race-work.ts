import { createHash, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { uuid } from '../../spec/answers/atoms.ts';
import { packDelivery } from '../../spec/answers/deliveries.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import { claim, runPath, submit } from '../../support/evaluation-client.ts';
import { plantRace, plantSuite } from '../../support/planted-races.ts';
import { okBody, openTrialSuite, type TrialSuite, trialTasks } from '../../support/trial-suite.ts';
import { invalid, refused, shaped } from './answers.ts';

/** Of a pack of five the last two, which no suite shows; drawn in this order. */
const held = [
  { taskId: 'task-004', family: 'best-rated', problemId: randomUUID() },
  { taskId: 'task-003', family: 'find-product', problemId: randomUUID() },
];

let service: TestService;
let suite: TrialSuite;
let validator: TestKey;
let evalRunId: string;
let raceId: string;
test.serial.before(async () => {
  service = await startTestService();
  suite = await openTrialSuite(service);
  validator = await service.validator('validator');
  await submit(await service.miner('miner'));
  evalRunId = (await claim(validator)).eval_run_id;
  const suiteId = await plantSuite(service.sql, suite.packSha256);
  raceId = await plantRace(service.sql, { suiteId, raceNumber: 1, status: 'RACE_RUNNING' });
  for (const [ordinal, { taskId, family, problemId }] of held.entries()) {
    await service.sql`
      insert into race_task (race_id, ordinal, problem_id, task_id, family)
      values (${raceId}, ${ordinal}, ${problemId}, ${taskId}, ${family})`;
  }
  await ofRace(raceId, suiteId);
});
test.after.always(() => service?.stop());

const ofRace = (race: string, suiteId: number) => service.sql`
  update evaluation_run set phase = 'RACE', race_id = ${race}, suite_id = ${suiteId}
  where eval_run_id = ${evalRunId}`;

const raceDelivery = packDelivery.omit({ artifact_signature: true }).extend({ race_id: uuid });
const packPath = (race: string) => `/v1/validator/race/${race}/pack`;

test.serial('a race’s pack holds its tasks and no others', async (t) => {
  const pack = await shaped(t, raceDelivery, await validator.post(packPath(raceId)));

  t.is(pack.race_id, raceId);
  t.is(pack.delivery_scope, 'race');
  t.is(pack.pack_sha256, suite.packSha256 ?? '');
  t.deepEqual(pack.delivery_task_ids, ['task-004', 'task-003'], 'in the order of the draw');
  t.is(pack.task_count, 2);
  t.deepEqual(pack.family_counts, { 'best-rated': 1, 'find-product': 1 });
  const bytes = new Uint8Array(await (await fetch(pack.download_url)).arrayBuffer());
  t.is(createHash('sha256').update(bytes).digest('hex'), pack.download_url_sha256);
  t.is(bytes.length, pack.download_url_size_bytes);
  const content = gunzipSync(bytes).toString();
  for (const { task_id, answer } of trialTasks(5)) {
    t.is(content.includes(answer), pack.delivery_task_ids.includes(task_id), task_id);
  }
});

test.serial('a race’s pack is for whoever holds a live run of it', async (t) => {
  const idle = await service.validator('idle');
  await refused(t, await idle.post(packPath(raceId)), '403 NO_ACTIVE_WORK');
  await refused(t, await validator.post(packPath(randomUUID())), '404 RACE_NOT_FOUND');
  t.is(await invalid(t, await validator.post(packPath('7'))), 'path.race_id');
  const miner = await service.miner('pack miner');
  await refused(t, await miner.post(packPath(raceId)), '401 WRONG_ROLE');
  const other = await plantRace(service.sql, {
    ...{ suiteId: await plantSuite(service.sql, suite.packSha256) },
    ...{ raceNumber: 1, status: 'RACE_RUNNING' },
  });
  await refused(t, await validator.post(packPath(other)), '403 NO_ACTIVE_WORK');
  for (const status of ['RACE_COMPLETE', 'RACE_CANCELLED']) {
    await service.sql`update race set status = ${status} where race_id = ${raceId}`;
    await refused(t, await validator.post(packPath(raceId)), '403 NO_ACTIVE_WORK');
  }
  await service.sql`update race set status = 'RACE_RUNNING' where race_id = ${raceId}`;
  for (const [status, expected] of [
    ['SUCCESS', 403],
    ['STALE', 403],
    ['CANCELLED', 403],
    ['RUNNING', 200],
  ] as const) {
    await service.sql`
      update evaluation_run
      set status = ${status}, completed_at = case when ${status !== 'RUNNING'} then rt.clock() end
      where eval_run_id = ${evalRunId}`;
    t.is((await validator.post(packPath(raceId))).status, expected, status);
  }
});

interface Listed {
  readonly problems: readonly { readonly problem_id: string; readonly metadata: object }[];
}

const problems = async () =>
  (await okBody<Listed>(await validator.get(runPath(evalRunId, 'problems')))).problems;

test.serial(
  'a race’s run works on the tasks of the race, whose goals stay in the pack',
  async (t) => {
    const expected = held.map(({ problemId, taskId, family }) => ({
      problem_id: problemId,
      metadata: { task_id: taskId, family },
    }));

    t.deepEqual(await problems(), expected);
  },
);

test.serial(
  'a legacy race’s run works on the held-out problems with all that they say',
  async (t) => {
    const { sql } = service;
    const suiteId = await plantSuite(sql);
    const legacy = await plantRace(sql, { suiteId, raceNumber: 1, status: 'RACE_RUNNING' });
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const [ordinal, id] of ids.entries()) {
      const phase = ordinal === 0 ? 'QUALIFYING' : 'RACE';
      const metadata = JSON.stringify({ title: `problem ${ordinal}` });
      await sql`
      insert into suite_problem (suite_id, phase, ordinal, problem_id, metadata, embeddings)
      values (${suiteId}, ${phase}, ${ordinal}, ${id}, ${metadata}::text::jsonb, '[1]')`;
    }
    const [, second = '', third = ''] = ids;
    await sql`
    insert into race_task (race_id, ordinal, problem_id)
    values (${legacy}, 1, ${third}), (${legacy}, 2, ${second})`;
    await ofRace(legacy, suiteId);

    const embeddings = { reward_title_embeddings: [1] };
    t.deepEqual(await problems(), [
      { problem_id: third, metadata: { title: 'problem 2', ...embeddings } },
      { problem_id: second, metadata: { title: 'problem 1', ...embeddings } },
    ]);
    await refused(t, await validator.post(packPath(legacy)), '404 PACK_NOT_FOUND');
  },
);
