import { instantText, relativeText, shortKey } from '../format.ts';
import { useNow } from '../use-now.ts';

/** How long ago, or until; the instant itself on demand. */
export function When({ at }: { readonly at: string | null | undefined }) {
  const now = useNow(10_000);
  if (at === null || at === undefined) return <span class="muted">–</span>;
  return (
    <time dateTime={at} title={instantText(at)}>
      {relativeText(at, now)}
    </time>
  );
}

export function Key({ text }: { readonly text: string }) {
  return (
    <code class="key" title={text}>
      {shortKey(text)}
    </code>
  );
}

const toneOfState: Readonly<Record<string, 'good' | 'bad' | 'warn' | 'busy'>> = {
  ELIGIBLE: 'good',
  SUCCESS: 'good',
  RACE_COMPLETE: 'good',
  APPLIED: 'good',
  READY: 'good',
  active: 'good',
  completed: 'good',
  passed: 'good',
  DISCARDED: 'bad',
  FAILED: 'bad',
  TIMED_OUT: 'bad',
  CANCELLED: 'bad',
  RACE_CANCELLED: 'bad',
  offline: 'bad',
  failed: 'bad',
  STALE: 'warn',
  idle: 'warn',
  unknown: 'warn',
  RUNNING: 'busy',
  CLAIMED: 'busy',
  RACE_RUNNING: 'busy',
  OPEN: 'busy',
  APPLYING: 'busy',
};

/** A state in words, with a mark so that no colour has to be told apart. */
export function State({ of, text }: { readonly of: string; readonly text?: string }) {
  const tone = toneOfState[of] ?? 'plain';
  const words = text ?? of.toLowerCase().replaceAll(/[_-]+/g, ' ');
  return <span class={`state ${tone}`}>{words}</span>;
}
