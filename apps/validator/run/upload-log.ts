import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isFinal, pauseMs } from '../delivery/delivery.ts';
import { putBytes } from '../transfer.ts';
import type { Placing } from './place-episode.ts';

export interface LogUpload {
  readonly evalRunId: string;
  /** Any of the run's: the service gives out URLs for logs by problem, and this is the log of all. */
  readonly problemId: string;
  readonly text: string;
}

/** The run is over but for its completion, which its score needs and its log does not. */
const patienceMs = 10_000;

/**
 * The key under which the log of a run lies; undefined where neither service nor store took it in time,
 * for no run waits long for its log or is lost with it.
 */
export async function uploadLog(upload: LogUpload, deps: Placing): Promise<string | undefined> {
  const { clock, log } = deps;
  const [done, late] = [new AbortController(), new AbortController()];
  void clock.sleep(patienceMs, done.signal).then(() => late.abort());
  const signal = AbortSignal.any([deps.signal, late.signal]);
  try {
    return await untilTaken(upload, { ...deps, signal });
  } catch (error) {
    log.warn('the log of a run is not taken', { eval_run_id: upload.evalRunId, error });
    return undefined;
  } finally {
    done.abort();
  }
}

async function untilTaken(upload: LogUpload, { api, clock, signal }: Placing): Promise<string> {
  const bytes = await promisify(gzip)(upload.text);
  const body = {
    eval_run_id: upload.evalRunId,
    problem_id: upload.problemId,
    content_length: bytes.length,
    content_type: 'application/gzip',
  };
  for (let attempts = 0; ; attempts++) {
    try {
      const target = await api.postValidatorUploadsPresign({ body }, { signal });
      await putBytes(target.upload_url, bytes, { contentType: body.content_type, clock, signal });
      return target.results_s3_key;
    } catch (error) {
      if (isFinal(error) || signal.aborted) throw error;
      await clock.sleep(pauseMs(attempts, undefined), signal);
      // Not the reason of the signal, which would not say what went wrong.
      if (signal.aborted) throw error;
    }
  }
}
