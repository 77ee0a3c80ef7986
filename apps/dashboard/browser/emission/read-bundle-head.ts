import type { RaceBundle as Seal } from '../../../cli/client/schemas.generated.ts';
import { ask, Refused } from '../api.ts';
import { bodyInTime, fetchInTime } from '../in-time.ts';
import { type BundleHead, headOf } from './bundle-head.ts';

/** From the store, and no more of it than the head; refused as long as the race is sealed. */
export async function readBundleHead(raceId: string, gone: AbortSignal): Promise<BundleHead> {
  const { download_url: url } = await ask<Seal>(`/v1/public/races/${raceId}/bundle`, {
    signal: gone,
  });
  const answer = await fromStore(url, gone);
  if (!answer.ok || answer.body === null) throw unread('The store did not hand out the bundle.');
  const reader = bodyInTime(answer.body)
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(new TextDecoderStream())
    .getReader();
  try {
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw unread('The bundle ended before its runs.');
      text += value;
      const head = headOf(text);
      if (head !== undefined) return head;
    }
  } finally {
    // Whatever follows is not asked for; what was cut off has no more to say.
    reader.cancel().catch(() => undefined);
  }
}

async function fromStore(url: string, gone: AbortSignal): Promise<Response> {
  try {
    return await fetchInTime(url, { signal: gone });
  } catch (error) {
    if (gone.aborted) throw error;
    throw unread('The store of the bundles does not answer this page.');
  }
}

function unread(detail: string): Refused {
  return new Refused({ status: 0, code: 'UNREAD_BUNDLE', detail });
}
