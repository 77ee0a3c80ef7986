import type { EvalReply } from '../../../actors/lease-manager/messages.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import { chunksOf, jsonBytes } from './chunks.ts';
import { type EpisodeItem, episodeItem, toEpisodeResult } from './episode-item.ts';
import { askOwner, digestOf } from './owner.ts';
import type { RunLocator, RunPlace } from './run-locator.ts';

export interface ItemAnswer {
  readonly eval_run_id: string | null;
  readonly task_id: string | null;
  readonly status: 201 | 404 | 409 | 422;
  readonly episode_result_id: string | null;
  readonly error: string | null;
}

interface Placed {
  readonly index: number;
  readonly item: EpisodeItem;
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

async function appendChunk(
  chunk: readonly Placed[],
  place: RunPlace,
  deps: BatchDeps,
): Promise<EvalReply<'append-results'>> {
  const evalRunId = chunk[0]?.item.eval_run_id ?? '';
  const results = chunk.map(({ item }) => toEpisodeResult(item));
  return await askOwner(deps.bus, {
    type: 'append-results',
    part: place.part,
    id: digestOf([deps.commandId, evalRunId, chunk[0]?.index]),
    account: deps.validatorHotkey,
    body: {
      agentVersionId: place.agentVersionId,
      evalRunId,
      validatorHotkey: deps.validatorHotkey,
      results,
    },
  });
}

/** One run's chunks go in order, so that a task named twice is answered 201 first and 409 then. */
async function appendRun(
  items: readonly Placed[],
  deps: BatchDeps,
  answers: ItemAnswer[],
): Promise<void> {
  const place = await deps.runs.find(items[0]?.item.eval_run_id ?? '');
  if (place === undefined) {
    for (const { index, item } of items) {
      answers[index] = refused(item, 404, 'EVAL_RUN_NOT_FOUND: no such evaluation run');
    }
    return;
  }
  for (const chunk of chunksOf(items, chunkBytesMax)) {
    const reply = await appendChunk(chunk, place, deps);
    chunk.forEach(({ index, item }, at) => {
      const result = reply.items[at];
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
  const byRun = new Map<string, Placed[]>();
  raw.forEach((given, index) => {
    const parsed = episodeItem.safeParse(given);
    if (!parsed.success) {
      const problem = parsed.error.issues[0];
      answers[index] = refused(given, 422, `${problem?.path.join('.')}: ${problem?.message}`);
      return;
    }
    if (jsonBytes(parsed.data) > chunkBytesMax) {
      answers[index] = refused(given, 422, `must have at most ${chunkBytesMax} bytes`);
      return;
    }
    const ofRun = byRun.get(parsed.data.eval_run_id) ?? [];
    ofRun.push({ index, item: parsed.data });
    byRun.set(parsed.data.eval_run_id, ofRun);
  });
  await Promise.all([...byRun.values()].map((items) => appendRun(items, deps, answers)));
  return answers;
}
