import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import type { PaddockClient } from '../../cli/client/paddock.generated.ts';
import type { Claim, PackDelivery, RacePackDelivery } from '../../cli/client/schemas.generated.ts';
import { type CompletionBody, type Delivery, episodePatienceMs } from '../delivery/delivery.ts';
import type { Sandbox } from '../sandbox/find-sandbox.ts';
import { shopContract } from '../shop/catalogue.ts';
import { fetchBytes, TransferFailed } from '../transfer.ts';
import { type Conclusion, earlyEnd, packFailed, success, type TaskEnd } from './conclude.ts';
import { type EpisodeFacts, episodeDocument, outcomeOf, terminalState, toItem } from './episode.ts';
import { ModelList } from './model-list.ts';
import { openPack, PackUnusable, type ShopPack, type ShopTask } from './open-pack.ts';
import { packFile } from './pack-file.ts';
import { placeEpisode } from './place-episode.ts';
import { type Playing, playTask } from './play-task.ts';
import { RunLog } from './run-log.ts';
import { uploadLog } from './upload-log.ts';
import { whileHeld } from './while-held.ts';

export interface Evaluating {
  readonly api: PaddockClient;
  readonly sandbox: Sandbox;
  readonly packFolder: string;
  readonly batchSize: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** On disk when it resolves. */
  readonly keep: (one: Delivery) => Promise<void>;
  /** How the run ended, before its log is on its way; on disk when it resolves, where the disk takes it. */
  readonly concluded: (body: CompletionBody) => Promise<void>;
  /** Aborts when the run is lost or is to be given back. */
  readonly signal: AbortSignal;
}

const codeBytesMax = 16 * 1024 ** 2;
/** However large a batch may be: a service ends a run that brings neither a result nor progress for an hour. */
const batchAgeMaxMs = 10 * 60_000;
/**
 * The first who asks for a pack waits until the service has made it. An edge goes on making it when nobody waits any
 * more, and whoever asks again joins that; so an edge that died or stands still costs a minute, and no run.
 */
const packTimeoutMs = 60_000;
/** Half of the hour without results after which a service takes a run away; a pack is made in ten minutes. */
const packPatienceMs = 30 * 60_000;

/** Plays one claimed run from its download to its last task, and says what is to become of it. */
export async function evaluateRun(claim: Claim, deps: Evaluating): Promise<Conclusion> {
  const { clock, signal } = deps;
  if (claim.execution_kind !== 'envpack' || claim.env_pack_sha256 === null) {
    return { kind: 'release', reason: `${claim.execution_kind} is not evaluated here` };
  }
  // At once, beside the pack, of which it needs nothing: its address lives for minutes, and a pack may take longer.
  const ended = new AbortController();
  const code = fetchCode(claim, clock, AbortSignal.any([signal, ended.signal]));
  // Looked at when the pack is known; until then nobody waits for it.
  code.catch(() => undefined);
  try {
    const delivery = await deliveryOf(claim, claim.env_pack_sha256, deps);
    if (delivery.tool_contract_version !== shopContract) {
      const reason = `this validator has no tools for ${delivery.tool_contract_version}`;
      return { kind: 'release', reason };
    }
    const agent = await code;
    const pack = await fetchPack(delivery, deps);
    const roster = await rosterOf(claim, pack, deps);
    const packSha256 = claim.env_pack_sha256;
    const token = claim.inference_token;
    const models = token === null ? null : new ModelList(token, clock);
    const playing = { claim, packSha256, agent, models, pack, ...deps };
    const runLog = new RunLog(token?.access_token);
    const conclusion = await playRoster(playing, roster, { ...deps, runLog });
    return await withLog(conclusion, { roster, runLog, claim }, deps);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PackUnusable) return packFailed(error.message);
    if (error instanceof TransferFailed) return packFailed(`download failed: ${error.message}`);
    throw error;
  } finally {
    ended.abort();
  }
}

function fetchCode(claim: Claim, clock: Clock, signal: AbortSignal): Promise<Uint8Array> {
  const announced = { url: claim.code_download_url, sha256: claim.code_sha256 };
  return fetchBytes({ ...announced, sizeBytesMax: codeBytesMax }, clock, signal);
}

async function deliveryOf(
  claim: Claim,
  packSha256: string,
  { api, clock, signal }: Pick<Evaluating, 'api' | 'clock' | 'signal'>,
): Promise<PackDelivery | RacePackDelivery> {
  const { race_id } = claim;
  const options = { signal, timeoutMs: packTimeoutMs };
  const ask = async () =>
    race_id === null
      ? await api.getValidatorPackByPackSha256({ pack_sha256: packSha256 }, options)
      : await api.postValidatorRacePack({ race_id }, options);
  return await whileHeld(ask, { clock, signal, patienceMs: packPatienceMs });
}

async function fetchPack(
  delivery: PackDelivery | RacePackDelivery,
  { packFolder, clock, signal }: Evaluating,
): Promise<ShopPack> {
  const announced = {
    url: delivery.download_url,
    sha256: delivery.download_url_sha256,
    sizeBytesMax: delivery.download_url_size_bytes,
  };
  return await openPack(await packFile(announced, packFolder, { clock, signal }));
}

interface RosterTask extends ShopTask {
  readonly problemId: string;
}

/** In the order of the service, each with what the pack says of it. */
async function rosterOf(
  { eval_run_id }: Claim,
  pack: ShopPack,
  { api, clock, signal }: Pick<Evaluating, 'api' | 'clock' | 'signal'>,
): Promise<readonly RosterTask[]> {
  const ask = () => api.getValidatorEvaluationRunsProblems({ eval_run_id }, { signal });
  const { problems } = await whileHeld(ask, { clock, signal });
  return problems.map(({ problem_id: problemId, metadata }) => {
    const id = String(metadata['task_id']);
    const task = pack.tasks.get(id);
    if (task === undefined) throw new PackUnusable(`the pack lacks the task ${id}`);
    return { ...task, problemId };
  });
}

async function playRoster(
  playing: Playing,
  roster: readonly ShopTask[],
  deps: Evaluating & { readonly runLog: RunLog },
): Promise<Conclusion> {
  const ends: TaskEnd[] = [];
  let batch: object[] = [];
  let oldestMs = 0;
  const { eval_run_id: evalRunId } = playing.claim;
  const left: Delivery[] = [];
  // Results first: they are what the service counts as progress.
  const send = async () => {
    if (batch.length > 0) await deps.keep({ kind: 'results', evalRunId, items: batch });
    batch = [];
    for (const episode of left.splice(0)) await deps.keep(episode);
  };
  for (const task of roster) {
    const { facts, printed, ...provider } = await playTask(playing, task);
    deps.runLog.add(facts, printed);
    const episode = await placeEpisode(episodeOf(facts, deps.clock.nowMs()), deps);
    if (episode.left !== undefined) left.push(episode.left);
    const stateHash = sha256Hex(terminalState(facts));
    const item = toItem(facts, { ledgerUri: episode.uri, stateHash });
    if (batch.length === 0) oldestMs = deps.clock.monotonicMs();
    batch.push(item);
    tell(facts, deps);
    const rewardMicro = item.verdict_correct ? (facts.verdict?.rewardMicro ?? null) : null;
    ends.push({ ending: facts.ending, rewardMicro, ...provider });
    const early = earlyEnd(ends, roster.length);
    if (early?.kind === 'release') return early;
    const isDue = deps.clock.monotonicMs() - oldestMs >= batchAgeMaxMs;
    if (early !== undefined || isDue || batch.length >= deps.batchSize) await send();
    if (early !== undefined) return early;
  }
  await send();
  return success(ends);
}

/** The completion names the log where there is one; the run ends the same without it. */
async function withLog(
  conclusion: Conclusion,
  of: { readonly claim: Claim; readonly roster: readonly RosterTask[]; readonly runLog: RunLog },
  deps: Evaluating,
): Promise<Conclusion> {
  const problemId = of.roster[0]?.problemId;
  if (conclusion.kind !== 'complete' || problemId === undefined) return conclusion;
  // The log takes seconds in which we may be killed, and what was played must not be lost with it.
  await deps.concluded(conclusion.body);
  const upload = { evalRunId: of.claim.eval_run_id, problemId, text: of.runLog.text };
  const key = await uploadLog(upload, deps);
  if (key === undefined) return conclusion;
  return { kind: 'complete', body: { ...conclusion.body, results_s3_key: key } };
}

function episodeOf(facts: EpisodeFacts, nowMs: number) {
  const { evalRunId, packSha256 } = facts;
  const untilMs = nowMs + episodePatienceMs;
  return {
    kind: 'episode',
    evalRunId,
    packSha256,
    document: episodeDocument(facts),
    untilMs,
  } as const;
}

function tell(facts: EpisodeFacts, { log, telemetry }: Evaluating): void {
  const { ending, verdict, taskId, steps } = facts;
  const outcome = outcomeOf(facts);
  telemetry.count('paddock.validator.tasks', 1, { outcome, end: ending.reason });
  telemetry.record('paddock.validator.task.duration', ending.wallSeconds * 1000, {});
  log.debug('task done', {
    ...{ task_id: taskId, outcome, end: ending.reason, steps: steps.length },
    is_correct: verdict?.isCorrect ?? null,
  });
}
