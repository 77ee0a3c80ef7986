import { useEffect, useState } from 'preact/hooks';
import { every, nowMs } from './clock.ts';

/** The time, told again so often. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(nowMs);
  useEffect(() => every(everyMs, () => setNow(nowMs())), [everyMs]);
  return now;
}
