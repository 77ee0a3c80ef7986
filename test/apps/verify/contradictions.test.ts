import test from 'ava';
import { compareBundle } from '../../../apps/verify/compare-bundle.ts';
import { Comparison, differenceText } from '../../../apps/verify/difference.ts';
import type { RaceBundle } from '../../../machines/race/bundle.ts';
import { first, forged, honest } from '../../support/forged-bundle.ts';

type Seat = RaceBundle['emission'][number];

/** All that a seat says, with what its race computes to. */
const seated = (change: (seat: Seat) => Partial<Seat>): RaceBundle => ({
  ...honest,
  emission: honest.emission.map((seat) => ({ ...seat, ...change(seat) })),
});

const contradictions: readonly [title: string, bundle: () => RaceBundle, told: RegExp][] = [
  [
    'the seat of the top said to be one of the tail, and the other way round',
    () => seated(({ seat }) => (seat === 'BURN' ? {} : { seat: seat === 'TOP' ? 'TAIL' : 'TOP' })),
    /^emission seat 1 \(TOP\) kind: said "TAIL", computed "TOP"$/m,
  ],
  [
    'a seat at another position',
    () => seated(({ position }) => (position === 0 ? { position: 7 } : {})),
    /^emission seat 0 \(BURN\) position: said 7, computed 0$/m,
  ],
  [
    'runs of the winner given to another version as well',
    () =>
      forged(({ runs, race }) => {
        const isOwn = (run: (typeof runs)[number]) =>
          run.agent_version_id === race.winner_agent_version_id;
        const { agent_version_id: other } = first(runs.filter((run) => !isOwn(run)));
        const again = runs.filter(isOwn).map((run) => ({ ...run, agent_version_id: other }));
        const rest = runs.filter(({ agent_version_id: id }) => id !== other);
        runs.splice(0, runs.length, ...rest, ...again);
      }),
    /^runs, each once: said 20, computed 18$/,
  ],
  [
    'a run that counts, with a reason why it does not',
    () =>
      forged(({ runs }) => {
        first(runs.filter(({ is_included }) => is_included)).exclusion_reason = 'SURPLUS';
      }),
    /^run \S+, which counts, excluded as: said "SURPLUS", computed null$/,
  ],
  [
    'one more success that counts than are asked for',
    () =>
      forged(({ runs, race }) => {
        const own = runs.filter((run) => run.agent_version_id === race.winner_agent_version_id);
        const eval_run_id = '00000000-0000-4000-8000-000000000009';
        runs.push({ ...structuredClone(first(own)), eval_run_id, validator_hotkey: 'another' });
      }),
    /^version \S+ included runs, not too many: said false, computed true$/,
  ],
];

for (const [title, bundle, told] of contradictions) {
  test(`is told: ${title}`, (t) => {
    const comparison = new Comparison();
    compareBundle(bundle(), comparison);
    t.regex(comparison.differences.map(differenceText).join('\n'), told);
  });
}
