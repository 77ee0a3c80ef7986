import type { EvalReply, EvalRequest } from '../../../actors/lease-manager/messages.ts';
import type { ResultColumns } from '../../../actors/lease-manager/result-columns.ts';
import { idsWithin } from '../../../infra/ids/ids.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import { Fault } from '../../../machines/fault.ts';
import { detailOf, glimpse } from '../../../machines/refusal.ts';
import { safeParse } from '../safe-parse.ts';
import { chunksOf } from './chunks.ts';
import { type EpisodeItem, episodeItem, toEpisodeResult } from './episode-item.ts';
import { UnfitItem } from './mended-item.ts';
import { askOwner, digestOf } from './owner.ts';
import { columnsOf, type PlacedItem, placeItem } from './placed-item.ts';
import { plainItem } from './plain-item.ts';
import type { RunLocator, RunPlace } from './run-locator.ts';

export interface ItemAnswer {
  readonly eval_run_id: string | null;
  readonly task_id: string | null;
  readonly status: 201 | 404 | 409 | 422;
  readonly episode_result_id: string | null;
  readonly error: string | null;
}

interface ItemResult {
  readonly status: ItemAnswer['status'];
  readonly episodeResultId: string | null;
  readonly error: string | null;
}

// A slow chunk must block its partition little; no honest result alone comes near.
const chunkBytesMax = 256 * 1024;

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

function refused(raw: unknown, status: 404 | 422, error: string): ItemAnswer {
  const named = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  return {
    eval_run_id: textOrNull(named['eval_run_id']),
    task_id: textOrNull(named['task_id']),
    status,
    episode_result_id: null,
    error,
  };
}

export interface BatchDeps {
  readonly bus: CommandBus;
  readonly runs: RunLocator;
  readonly validatorHotkey: string;
  /** Of the HTTP request: a chunk's id derives from it and from the chunk's place. */
  readonly commandId: string;
}

type Reply = EvalReply<'append-results'>;

async function appendChunk(
  chunk: readonly PlacedItem[],
  place: RunPlace,
  deps: BatchDeps,
): Promise<readonly ItemResult[]> {
  const evalRunId = chunk[0]?.item.eval_run_id ?? '';
  const name = [deps.commandId, evalRunId, chunk[0]?.index];
  const { agentVersionId, part } = place;
  const { validatorHotkey } = deps;
  const own = { agentVersionId, evalRunId, validatorHotkey };
  const append = (id: string, body: EvalRequest<'append-results'>) =>
    askOwner(deps.bus, { type: 'append-results', part, id, account: validatorHotkey, body });
  const columns = columnsOf(chunk, idsWithin(evalRunId));
  try {
    // Under an id of its own: who knows rows alone could not read the answer to a repeat.
    const id = digestOf([...name, 'columns']);
    return resultsOf(await append(id, { ...own, columns }), columns);
  } catch (error) {
    // An owner of the version before misses the rows, and has done nothing.
    if (!(error instanceof Fault && error.code === 'VALIDATION_FAILED')) throw error;
    const results = chunk.map(({ item }) => toEpisodeResult(item));
    return resultsOf(await append(digestOf(name), { ...own, results }), columns);
  }
}

function resultsOf(reply: Reply, { episodeResultId }: ResultColumns): readonly ItemResult[] {
  if ('items' in reply) return reply.items;
  const results = episodeResultId.map(
    (id): ItemResult => ({ status: 201, episodeResultId: id, error: null }),
  );
  for (const { index, status, error } of reply.refusals) {
    results[index] = { status, episodeResultId: null, error };
  }
  return results;
}

/** One run's chunks go in order, so that a task named twice is answered 201 first and 409 then. */
async function appendRun(
  items: readonly PlacedItem[],
  deps: BatchDeps,
  answers: ItemAnswer[],
): Promise<void> {
  const place = await deps.runs.find(items[0]?.item.eval_run_id ?? '');
  if (place === undefined) {
    for (const { index, item } of items) {
      answers[index] = refused(item, 404, runUnknown);
    }
    return;
  }
  for (const chunk of chunksOf(items, chunkBytesMax, ({ bytes }) => bytes)) {
    const results = await appendChunk(chunk, place, deps);
    chunk.forEach(({ index, item }, at) => {
      const result = results[at];
      if (result === undefined) throw new Error(`no answer for item ${index} of the batch`);
      answers[index] = {
        eval_run_id: item.eval_run_id,
        task_id: item.task_id,
        status: result.status,
        episode_result_id: result.episodeResultId,
        error: result.error,
      };
    });
  }
}

/**
 * Stores a batch of episode results, split by run and size; each item gets its own answer, in
 * request order. A repeated batch converges: what was stored answers 409.
 */
export async function appendBatch(
  raw: readonly unknown[],
  deps: BatchDeps,
): Promise<readonly ItemAnswer[]> {
  const answers: ItemAnswer[] = [];
  const byRun = new Map<string, PlacedItem[]>();
  raw.forEach((given, index) => {
    const parsed = plainItem(given) ?? judgedItem(given);
    if (typeof parsed === 'string') {
      answers[index] = refused(given, 422, parsed);
      return;
    }
    const placed = placeItem(index, parsed);
    if (placed.bytes > chunkBytesMax) {
      answers[index] = refused(given, 422, `must have at most ${chunkBytesMax} bytes`);
      return;
    }
    const ofRun = byRun.get(parsed.eval_run_id) ?? [];
    ofRun.push(placed);
    byRun.set(parsed.eval_run_id, ofRun);
  });
  await Promise.all([...byRun.values()].map((items) => appendRun(items, deps, answers)));
  return answers;
}

const runUnknown = detailOf('EVAL_RUN_NOT_FOUND');

/** The item, or the first thing that is wrong with it. */
function judgedItem(given: unknown): EpisodeItem | string {
  if (given instanceof UnfitItem) return given.why;
  const parsed = safeParse(episodeItem, given);
  if (parsed.success) return parsed.data;
  const problem = parsed.error.issues[0];
  return `${problem?.path.map((step) => glimpse(String(step))).join('.')}: ${problem?.message}`;
}
