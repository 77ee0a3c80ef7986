import type { Mutant } from './mutant.ts';
import type { Verdict } from './verdict.ts';

/** How the process of one world ended. */
export interface Ended {
  /** A number, or the signal that ended it. */
  readonly code: number | string | null;
  readonly out: string;
  readonly err: string;
}

/** `seen` is the only good one: what broke as it had to, and not in another way. */
export type Outcome =
  | { readonly kind: 'seen'; readonly sign: Verdict['violations'][number] }
  | { readonly kind: 'survived'; readonly told: string }
  | { readonly kind: 'not tried'; readonly told: string };

/** The verdict that a process told, or how it ended without one; who crashed has told nothing. */
export function verdictOf({ code, out, err }: Ended): Verdict | string {
  const last = out.trim().split('\n').at(-1) ?? '';
  if (code === 0 && last.startsWith('{')) return JSON.parse(last) as Verdict;
  return `ended with ${code}: ${err.trim().split('\n').slice(-12).join(' | ')}`;
}

export function outcomeOf({ signs }: Pick<Mutant, 'signs'>, verdict: Verdict | string): Outcome {
  if (typeof verdict === 'string') return { kind: 'not tried', told: verdict };
  const { violations } = verdict;
  const sign = violations.find(({ invariant }) => signs.some((each) => each === invariant));
  if (sign !== undefined) return { kind: 'seen', sign };
  if (violations.length === 0) return { kind: 'survived', told: 'nothing was wrong' };
  const others = violations.map(({ invariant, text }) => `${invariant} ${text.slice(0, 160)}`);
  return { kind: 'survived', told: `only ${others.slice(0, 3).join('; ')}` };
}
