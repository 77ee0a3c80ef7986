/**
 * The line of each operation, as the description and its page show it, is typed into a real shell at a
 * real service. Only names differ: what the examples call by made-up ids is there under others.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import type { ApiDocument } from '../../../apps/edge/openapi/api-document.ts';
import { namedValues } from '../../../apps/edge/openapi/example-values.ts';
import { DescribedApi, type Operation } from '../../fuzz/described-api.ts';
import { agentCode } from '../../support/evaluation-client.ts';
import { systemEnv } from '../../support/system-env.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { okBody, packBytes, trialTasks } from '../../support/trial-suite.ts';
import { type ExampleWorld, openExampleWorld } from './example-world.ts';

let world: ExampleWorld;
let folder: string;
let document: ApiDocument;
test.before(async () => {
  world = await openExampleWorld();
  folder = await temporaryFolder();
  await writeFile(join(folder, 'agent.py'), agentCode);
  await writeFile(join(folder, 'pack.tar.gz'), await packBytes(trialTasks(6)));
  document = await okBody<ApiDocument>(await world.race.service.call('GET', '/openapi.json'));
});
test.after.always(() => world?.race.service.stop());

const exampleOf = (name: string) => String(namedValues(name)[0]);

/** Ids that an answer gives to what its request made. */
const made = ['rejudging_id', 'webhook_id'];
/** By the example of claiming. */
let claimedRunId = '';

function runFor({ id, path }: Operation): string {
  if (id === 'postAdminEvaluationRunsReclaim') return world.idleRunId;
  if (id === 'postValidatorEvaluationRunsRelease') return claimedRunId;
  return path.startsWith('/v1/validator/') ? world.liveRunId : world.endedRunId;
}

/** What the world has in the place of an example's value; what holds another comes first. */
function plantedFor(operation: Operation, later: ReadonlyMap<string, string>) {
  const { race, miner } = world;
  const { path } = operation;
  return new Map([
    [exampleOf('signature'), miner.sign(world.challenge)],
    [exampleOf('challenge'), world.challenge],
    [exampleOf('env_pack_sha256'), race.suite.packSha256 ?? ''],
    [exampleOf('agent_version_id'), race.first],
    [exampleOf('agent_id'), world.agentId],
    [exampleOf('eval_run_id'), runFor(operation)],
    [exampleOf('race_id'), path.startsWith('/v1/admin/') ? world.openRaceId : race.raceId],
    [exampleOf('problem_id'), world.problemId],
    [exampleOf('episode_result_id'), world.episodeResultId],
    [exampleOf('miner_hotkey'), miner.hotkey],
    [exampleOf('validator_hotkey'), race.judges[0].hotkey],
    [exampleOf('task_id'), race.suite.tasks[0]?.task_id ?? ''],
    [`"family":"${exampleOf('family')}"`, `"family":"${race.suite.tasks[0]?.family}"`],
    [`"model":"${exampleOf('model')}"`, '"model":"large"'],
    ['/suites/1/', `/suites/${race.suite.suiteId}/`],
    ['/coordinator-1/', `/${world.memberId}/`],
    ...later,
  ]);
}

const curl = `curl() {
  command curl --silent --show-error --max-time "$MOST" --output answer --write-out '%{http_code} %{content_type}' "$@"
}`;

async function typed(operation: Operation, later: ReadonlyMap<string, string>) {
  const { tokens, race } = world;
  const [sample] = document.paths[operation.path]?.[operation.method]?.['x-codeSamples'] ?? [];
  if (sample === undefined) throw new Error(`${operation.id} has no line`);
  let own = sample.source;
  for (const [example, planted] of plantedFor(operation, later)) {
    own = own.replaceAll(example, planted);
  }
  const isEndless = operation.id === 'getPublicEvents';
  const env = {
    ...systemEnv(),
    PADDOCK_URL: race.service.baseUrl,
    PADDOCK_TOKEN: operation.path.startsWith('/v1/miner/') ? tokens.miner : tokens.validator,
    PADDOCK_OPERATOR_TOKEN: race.service.operatorToken,
    ACCESS_TOKEN: tokens.run,
    // Its stream goes on for as long as somebody listens.
    MOST: isEndless ? '1' : '30',
  };
  await writeFile(join(folder, 'answer'), '');
  const ended = await promisify(execFile)('bash', ['-c', `${curl}\n${own}`], {
    cwd: folder,
    env,
  }).catch((error: { readonly code: number; readonly stdout: string }) => {
    // 28 is curl's word for time that has passed.
    if (isEndless && error.code === 28) return error;
    throw error;
  });
  const [status = '', ...type] = ended.stdout.split(' ');
  const text = await readFile(join(folder, 'answer'), 'utf8');
  return { status: Number(status), contentType: type.join(' '), text };
}

/** What takes away what others stand on comes last. */
const last = [
  'deleteMinerInferenceAuthByProvider',
  'putAdminHotkeysBan',
  'deleteAdminHotkeysBan',
  'deleteAdminChainRegistrationsByHotkey',
  'deleteAdminWebhooksByWebhookId',
  'postAuthLogout',
  'postAdminActorsDrain',
];

/** By operation: the refusals of this world, which has no such thing or is no such service. */
const refused: Readonly<Record<string, string>> = {
  getAdminTracesByTraceId: 'TRACE_NOT_FOUND',
  getPublicEpisodeResultsFeedback: 'ARTIFACT_NOT_FOUND',
  postAdminActorsDrain: 'LAST_ACTOR',
  postAdminClockAdvance: 'CLOCK_IS_REAL',
  postAdminParkedMessagesDrop: 'PARKED_MESSAGE_NOT_FOUND',
  postAdminParkedMessagesResend: 'PARKED_MESSAGE_NOT_FOUND',
  postAdminRejudgingsApply: 'REJUDGING_NOT_READY',
  postValidatorRacePack: 'NO_ACTIVE_WORK',
};

test('the example of every operation is carried out by a real service, or refused as described', async (t) => {
  t.timeout(300_000);
  const api = new DescribedApi(document);
  const later = new Map<string, string>();
  const seen: Record<string, string> = {};
  const rank = ({ id }: Operation) => last.indexOf(id);
  for (const operation of api.operations.toSorted((one, other) => rank(one) - rank(other))) {
    const answer = await typed(operation, later);
    t.is(api.objection(operation, answer), undefined, `${operation.id}: ${answer.text}`);
    const body = answer.contentType.startsWith('application/json') ? JSON.parse(answer.text) : {};
    if (answer.status >= 300) seen[operation.id] = body.error_code ?? answer.status;
    for (const name of made) if (name in body) later.set(exampleOf(name), body[name]);
    if (operation.id === 'postValidatorWorkClaim') claimedRunId = body.eval_run_id;
  }
  t.deepEqual(seen, refused);
});
