import type { ExecutionContext } from 'ava';
import { compareApi } from '../../apps/verify/compare-api.ts';
import { compareBundle } from '../../apps/verify/compare-bundle.ts';
import { Comparison, differenceText } from '../../apps/verify/difference.ts';
import { openBundle } from '../../apps/verify/sealed-bundle.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { createEd25519Signer } from '../../infra/crypto/ed25519.ts';
import type { RaceBundle } from '../../machines/race/bundle.ts';
import { recomputed, sealed, trialBundle } from './trial-bundle.ts';
import { servePages, type TrialPages } from './trial-pages.ts';

const signer = createEd25519Signer(new Uint8Array(32).fill(1));
const top = { name: '4', score: '0.4731' };
export const honest = trialBundle({ top });

type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> };

export const first = <T>(list: readonly T[]): T => {
  const [value] = list;
  if (value === undefined) throw new Error('nothing to change');
  return value;
};

/** All that follows is computed again, so that the bundle agrees with itself. */
export function forged(change: (bundle: Mutable<RaceBundle>) => void, of = honest): RaceBundle {
  const bundle = structuredClone(of) as Mutable<RaceBundle>;
  change(bundle);
  return recomputed(bundle as RaceBundle);
}

/** Signed by the operator, opened, and held against pages: what differs and what is in doubt. */
export async function verified(t: ExecutionContext, bundle: RaceBundle, pages: TrialPages) {
  const { bytes, seal } = sealed(bundle, signer);
  const opened = openBundle(bytes, seal, signer.publicKey);
  const comparison = new Comparison();
  compareBundle(opened, comparison);
  t.deepEqual(comparison.differences.map(differenceText), [], 'the bundle agrees with itself');
  await compareApi({ url: await servePages(t, pages), clock: systemClock }, opened, comparison);
  return {
    differences: comparison.differences.map(differenceText),
    doubts: comparison.doubts,
  };
}
