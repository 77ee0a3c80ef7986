import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { packDelivery } from '../../spec/answers/deliveries.ts';
import type { TestKey } from '../../support/edge-client.ts';
import {
  type Completed,
  claim,
  complete,
  episodes,
  evaluate,
  runPath,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import {
  okBody,
  openSuite,
  openTrialSuite,
  type TrialSuite,
  trialTasks,
} from '../../support/trial-suite.ts';
import { shaped } from './answers.ts';
import { service } from './runs-service.ts';

interface Problems {
  readonly problems: readonly { readonly metadata: { readonly task_id: string } }[];
}

type Assertions = Parameters<typeof shaped>[0];

async function delivered(t: Assertions, validator: TestKey, { packSha256 }: TrialSuite) {
  const answer = await validator.get(`/v1/validator/pack/${packSha256}`);
  const { delivery_task_ids: taskIds, ...pack } = await shaped(t, packDelivery, answer);
  const bytes = new Uint8Array(await (await fetch(pack.download_url)).arrayBuffer());
  return { taskIds, text: gunzipSync(bytes).toString() };
}

/** A suite of the same pack that shows one of its tasks, and is active from now on. */
async function showLess({ packSha256, tasks }: TrialSuite): Promise<readonly string[]> {
  const taskIds = tasks.slice(1, 2).map(({ task_id }) => task_id);
  const suite = { execution_kind: 'envpack', env_pack_sha256: packSha256 };
  await openSuite(service, { ...suite, qualifying_task_ids: taskIds });
  return taskIds;
}

test.serial(
  'reopened work of a former suite is delivered with its own tasks and can succeed, whatever the active suite shows of the pack',
  async (t) => {
    const suite = await openTrialSuite(service, { taskCount: 4, requiredSuccesses: 1 });
    const [one, two] = await Promise.all([
      service.validator('former suite one'),
      service.validator('former suite two'),
    ]);
    await submit(await service.miner('former suite miner'));
    const { evalRunId: excluded } = await evaluate(one, suite, '0.9');
    const shown = await showLess(suite);
    const path = `/v1/admin/evaluation-runs/${excluded}/exclude`;
    await okBody(await service.operator('POST', path, { body: { reason: 'odd host' } }));

    const { eval_run_id: evalRunId } = await claim(two);
    const { problems } = await okBody<Problems>(await two.get(runPath(evalRunId, 'problems')));
    const roster = problems.map(({ metadata }) => metadata.task_id);
    t.is(roster.length, suite.tasks.length);
    const pack = await delivered(t, two, suite);
    t.deepEqual(pack.taskIds, roster);
    for (const { task_id, answer } of trialTasks(suite.tasks.length + 2)) {
      t.is(pack.text.includes(answer), roster.includes(task_id), task_id);
    }
    t.deepEqual((await delivered(t, one, suite)).taskIds, shown, 'who holds no such run');

    await sendResults(two, episodes(evalRunId, suite));
    const body = { terminal_status: 'SUCCESS', validator_score: 0.5 };
    const { status } = await okBody<Completed>(await complete(two, evalRunId, body));
    t.is(status, 'SUCCESS');
    t.deepEqual((await delivered(t, two, suite)).taskIds, shown, 'once the run is over');
  },
);
