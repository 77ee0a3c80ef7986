import { ask, Refused, refusalOf } from '../api.ts';
import { bodyInTime, fetchInTime, textInTime } from '../in-time.ts';
import { Trajectory } from './trajectory.ts';

interface DownloadUrl {
  readonly download_url: string;
}

/**
 * Opens a released episode: from the store itself, which sends as fast as it is read, or through the
 * service where the store does not answer pages of this address.
 */
export async function openEpisode(episodeResultId: string, gone: AbortSignal): Promise<Trajectory> {
  const body = { artifact_type: 'EPISODE', episode_result_id: episodeResultId };
  const path = '/v1/public/artifacts/download-url';
  const { download_url: url } = await ask<DownloadUrl>(path, {
    method: 'POST',
    body,
    signal: gone,
  });
  const through = `/v1/public/episode-results/${episodeResultId}/feedback`;
  const answer = (await fromStore(url, gone)) ?? (await fetchInTime(through, { signal: gone }));
  if (!answer.ok || answer.body === null) throw refusalOf(answer, await textInTime(answer));
  const size = Number(answer.headers.get('content-length') ?? Number.NaN);
  return reading(bodyInTime(answer.body), size, gone);
}

async function fromStore(url: string, gone: AbortSignal): Promise<Response | undefined> {
  try {
    const answer = await fetchInTime(url, { signal: gone });
    return answer.ok ? answer : undefined;
  } catch (error) {
    if (gone.aborted) throw error;
    return undefined;
  }
}

/** A file of the reader's own: it never leaves the browser. */
export function openFile(file: File, gone: AbortSignal): Trajectory {
  return reading(file.stream(), file.size, gone);
}

function reading(body: ReadableStream<Uint8Array>, size: number, gone: AbortSignal): Trajectory {
  const trajectory = new Trajectory(Number.isFinite(size) && size > 0 ? size : undefined);
  void trajectory.read(body, gone);
  return trajectory;
}

export function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  return new Refused({ status: 0, code: 'UNANSWERED', detail: 'The episode could not be read.' });
}
