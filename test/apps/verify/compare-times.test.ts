import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { compareBundle } from '../../../apps/verify/compare-bundle.ts';
import { Comparison, differenceText } from '../../../apps/verify/difference.ts';
import { BundleRefused, openBundle } from '../../../apps/verify/sealed-bundle.ts';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import { canonicalJson } from '../../../machines/canonical-json.ts';
import type { RaceBundle } from '../../../machines/race/bundle.ts';
import { forged, honest } from '../../support/forged-bundle.ts';
import { sealed } from '../../support/trial-bundle.ts';

const signer = createEd25519Signer(new Uint8Array(32).fill(1));

/** Signed by the operator, and opened: what differs. */
function told(bundle: RaceBundle): readonly string[] {
  const { bytes, seal } = sealed(bundle, signer);
  const comparison = new Comparison();
  compareBundle(openBundle(bytes, seal, signer.publicKey), comparison);
  return comparison.differences.map(differenceText);
}

type Instants = Pick<RaceBundle['race'], 'closed_at' | 'started_at' | 'qualifying_closes_at'>;

const { race } = honest;
const disorders: readonly [title: string, Partial<Instants>, RegExp][] = [
  [
    'a close before the opening, when hardly anybody could race',
    { closed_at: 0 },
    /^opening, close, start and end, in this order: said \["2026-07-07T19:00:00.000Z","1970-01-01T00:00:00.000Z",.+\], computed \["2026-07-07T19:00:00.000Z","2026-07-07T19:00:00.000Z",.+\]$/,
  ],
  [
    'a start before the close',
    { started_at: race.closed_at - 5_001 },
    /^opening, close, start and end, in this order: said /,
  ],
  [
    'an end before the start',
    { started_at: race.completed_at + 5_001 },
    /^opening, close, start and end, in this order: said /,
  ],
  [
    'a close that was planned for another year',
    { qualifying_closes_at: race.qualifying_closes_at + 366 * 86_400_000 },
    /^planned close, within a day of the opening: said "2027-07-09T19:00:00.000Z", computed "2026-07-08T21:00:00.000Z"$/,
  ],
];

for (const [title, instants, text] of disorders) {
  test(`is told, though all that follows was computed anew: ${title}`, (t) => {
    const differences = told(forged((bundle) => Object.assign(bundle.race, instants)));
    t.is(differences.length, 1, differences.join('\n'));
    t.regex(differences.join(), text);
  });
}

test('a reign that began after the race is told', (t) => {
  const later = forged(({ top_before: top }) => {
    if (top !== null) top.top_at = race.completed_at + 60_000;
  });
  t.regex(told(later).join('\n'), /^top before, since when, by the end of the race: said [^\n]+$/);
});

test('a race that operators closed early is in order, also by the clocks of two owners', (t) => {
  for (const [closed, started] of [
    [0, 0],
    [-5_000, -5_000],
    [60_000, 55_000],
    [86_400_000, 86_400_000],
  ] as const) {
    const instants = {
      closed_at: race.opened_at + closed,
      started_at: race.opened_at + started,
    };
    t.deepEqual(told(forged((bundle) => Object.assign(bundle.race, instants))), [], `${closed}`);
  }
});

test('a bundle that is nested deeper than that of any race is refused', (t) => {
  const text = canonicalJson({ ...honest, race: { ...race, zz: 0 } });
  const bytes = gzipSync(text.replace('"zz":0', `"zz":${'['.repeat(20_000)}${']'.repeat(20_000)}`));
  const hash = createHash('sha256').update(bytes).digest();
  const seal = { race_id: race.race_id, sha256: hash.toString('hex'), size_bytes: bytes.length };
  const { publicKey: public_key } = signer;
  t.throws(() => openBundle(bytes, { ...seal, signature: signer.sign(hash), public_key }), {
    instanceOf: BundleRefused,
    message: /nested deeper/,
  });
});

test('an instant that no calendar has is no bundle of a race', (t) => {
  for (const instants of [{ closed_at: 0, started_at: -5 }, { qualifying_closes_at: 9e15 }]) {
    const { bytes, seal } = sealed({ ...honest, race: { ...race, ...instants } }, signer);
    t.throws(() => openBundle(bytes, seal), {
      instanceOf: BundleRefused,
      message: /^the bundle has an unknown format at race\./,
    });
  }
});
