import { useEffect, useState } from 'preact/hooks';
import { Refused } from '../api.ts';
import { every } from '../clock.ts';
import type { BundleHead } from './bundle-head.ts';
import { readBundleHead } from './read-bundle-head.ts';

/** What became of a bundle; nothing yet while it is read. */
export type ReadHead = BundleHead | Refused | undefined;

/** A bundle never changes: it is read once, however often its race is looked at. */
const known = new Map<string, BundleHead>();

/** For those that are sealed or could not be read. */
const againMs = 60_000;

/** One after the other, in this order: a stranger's address has a hundred requests a minute. */
export function useBundleHeads(raceIds: readonly string[]): (raceId: string) => ReadHead {
  const [refused, setRefused] = useState<ReadonlyMap<string, Refused>>(new Map());
  const [, setRound] = useState(0);
  const wanted = raceIds.join();
  useEffect(() => {
    const gone = new AbortController();
    let isReading = false;
    const readThose = async () => {
      if (isReading) return;
      isReading = true;
      for (const raceId of wanted.split(',').filter((id) => id !== '' && !known.has(id))) {
        const head = await readBundleHead(raceId, gone.signal).catch(asRefused);
        if (gone.signal.aborted) return;
        if (head instanceof Refused) setRefused((before) => new Map(before).set(raceId, head));
        else known.set(raceId, head);
        setRound((before) => before + 1);
      }
      isReading = false;
    };
    void readThose();
    const end = every(againMs, () => void (document.hidden || readThose()));
    return () => {
      end();
      gone.abort();
    };
  }, [wanted]);
  return (raceId) => known.get(raceId) ?? refused.get(raceId);
}

function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  const detail = 'The bundle could not be read.';
  return new Refused({ status: 0, code: 'UNREAD_BUNDLE', detail });
}
