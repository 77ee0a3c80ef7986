import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { compareBundle } from '../../../apps/verify/compare-bundle.ts';
import { Comparison, differenceText } from '../../../apps/verify/difference.ts';
import { doubtWithoutPages } from '../../../apps/verify/doubt-without-pages.ts';
import { BundleRefused, openBundle } from '../../../apps/verify/sealed-bundle.ts';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import type { RaceBundle } from '../../../machines/race/bundle.ts';
import { runScoreMicro } from '../../../machines/scoring/run-score.ts';
import { recomputed, sealed, trialBundle } from '../../support/trial-bundle.ts';

const signer = createEd25519Signer(new Uint8Array(32).fill(1));
const stranger = createEd25519Signer(new Uint8Array(32).fill(2));
const honest = trialBundle({ top: { name: '4', score: '0.4731' } });

function differencesOf(bundle: RaceBundle): readonly string[] {
  const comparison = new Comparison();
  compareBundle(bundle, comparison);
  return comparison.differences.map(({ what }) => what);
}

test('an honest bundle agrees with itself: with a top that raced, one that did not, and none', (t) => {
  t.deepEqual(differencesOf(honest), []);
  t.is(honest.emission.length > 3, true);
  t.deepEqual(differencesOf(trialBundle({ top: { name: 'absent', score: '0.9900' } })), []);
  t.deepEqual(differencesOf(trialBundle({ entrantCount: 1 })), []);
  t.deepEqual(differencesOf(trialBundle()), []);
});

type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> };

interface Tampering {
  readonly title: string;
  readonly tamper: (bundle: Mutable<RaceBundle>) => void;
  /** The value that is named, whatever else differs then. */
  readonly named: RegExp;
}

const first = <T>(list: readonly T[]): T => {
  const [value] = list;
  if (value === undefined) throw new Error('nothing to change');
  return value;
};
const winnerOf = (bundle: Mutable<RaceBundle>) =>
  first(bundle.entrants.filter(({ race_rank }) => race_rank === 1));
const losers = (bundle: Mutable<RaceBundle>) =>
  bundle.entrants.filter(({ is_eliminated }) => is_eliminated);

const tamperings: readonly Tampering[] = [
  {
    title: 'the reward of one task',
    tamper: ({ runs }) => {
      const paid = first(first(runs).episode_results.filter(({ reward_micro }) => reward_micro));
      paid.reward_micro = (paid.reward_micro ?? 0) + 6;
    },
    named: /^run \S+ score$/,
  },
  {
    title: 'the verdict of one task',
    tamper: ({ runs }) => {
      first(first(runs).episode_results.filter((each) => each.reward_micro)).verdict_correct =
        false;
    },
    named: /^run \S+ score$/,
  },
  {
    title: 'the score of a run',
    tamper: ({ runs }) => {
      first(runs).score_micro = 999_999;
    },
    named: /^run \S+ score$/,
  },
  {
    title: 'a result told twice',
    tamper: ({ runs }) => {
      const { episode_results: results } = first(runs);
      results.push({ ...first(results) });
    },
    named: /^run \S+ results, each once$/,
  },
  {
    title: 'a task that was not of the race',
    tamper: ({ runs }) => {
      first(first(runs).episode_results).task_id = 'task-of-ours';
    },
    named: /^run \S+ tasks$/,
  },
  {
    title: 'a run left out of the mean',
    tamper: ({ runs }) => {
      first(runs).is_included = false;
    },
    named: /^version \S+ race score$/,
  },
  {
    title: 'two included runs of one validator',
    tamper: ({ runs }) => {
      for (const run of runs) run.validator_hotkey = 'validator 0';
    },
    named: /^version \S+ included runs, each of another validator$/,
  },
  {
    title: 'the race score of an entrant',
    tamper: (bundle) => {
      winnerOf(bundle).race_score = '0.9999';
    },
    named: /^version \S+ race score$/,
  },
  {
    title: 'the anchor',
    tamper: ({ race }) => {
      race.top50_mean = '0.0001';
    },
    named: /^anchor \(top50_mean\)$/,
  },
  {
    title: 'an earlier race of the window',
    tamper: ({ window }) => {
      first(window).anchor = '0.4600';
    },
    named: /^version \S+ window$/,
  },
  {
    title: 'the Overall of an entrant',
    tamper: (bundle) => {
      winnerOf(bundle).weighted_score = '0.9999';
    },
    named: /^version \S+ Overall$/,
  },
  {
    title: 'two ranks exchanged',
    tamper: (bundle) => {
      const winner = winnerOf(bundle);
      const second = first(bundle.entrants.filter(({ race_rank }) => race_rank === 2));
      [winner.race_rank, second.race_rank] = [2, 1];
    },
    named: /^version \S+ rank$/,
  },
  {
    title: 'an elimination that did not happen',
    tamper: (bundle) => {
      first(losers(bundle)).is_eliminated = false;
    },
    named: /^version \S+ elimination$/,
  },
  {
    title: 'another winner',
    tamper: (bundle) => {
      bundle.race.winner_agent_version_id = first(losers(bundle)).agent_version_id;
    },
    named: /^winner$/,
  },
  {
    title: 'a promotion nobody earned',
    tamper: (bundle) => {
      bundle.race.promoted_agent_version_id = first(losers(bundle)).agent_version_id;
    },
    named: /^promotion$/,
  },
  {
    title: 'a margin that suits the top',
    tamper: ({ race }) => {
      race.margin = '0.1000';
    },
    named: /^margin$/,
  },
  {
    title: 'a reign that began earlier',
    tamper: ({ top_before: top }) => {
      if (top !== null) top.top_at -= 30 * 86_400_000;
    },
    named: /^margin$/,
  },
  {
    title: 'a unit moved from the tail to the burn',
    tamper: ({ emission }) => {
      const [burn, tail] = [first(emission), first(emission.slice(-1))];
      burn.units = String(BigInt(burn.units) + 1n);
      tail.units = String(BigInt(tail.units) - 1n);
    },
    named: /^emission seat 0 \(BURN\) units$/,
  },
  {
    title: 'a unit made up',
    tamper: ({ emission }) => {
      first(emission).units = String(BigInt(first(emission).units) + 1n);
    },
    named: /^emission units in all$/,
  },
  {
    title: 'another hotkey in the seat of the top',
    tamper: ({ emission }) => {
      for (const seat of emission) if (seat.seat === 'TOP') seat.miner_hotkey = 'miner of ours';
    },
    named: /^emission seat 1 \(TOP\) hotkey$/,
  },
  {
    title: 'the weights of the vector',
    tamper: ({ emission }) => {
      first(emission).weight = '1';
    },
    named: /^weight vector$/,
  },
  {
    title: 'another burn rate',
    tamper: ({ race }) => {
      race.policy.burnRateMicro = 500_000;
    },
    named: /^weight vector$/,
  },
  {
    title: 'an entrant that is said to be discarded',
    tamper: (bundle) => {
      winnerOf(bundle).unfinished_reason = 'DISCARDED';
    },
    named: /^version \S+ race score$/,
  },
];

for (const { title, tamper, named } of tamperings) {
  test(`is named: ${title}`, (t) => {
    const bundle = structuredClone(honest) as Mutable<RaceBundle>;
    tamper(bundle);
    const differences = differencesOf(bundle);
    t.true(
      differences.some((what) => named.test(what)),
      differences.join('\n'),
    );
  });
}

const newcomerOf = (bundle: Mutable<RaceBundle>) =>
  first(bundle.entrants.filter((each) => each.qualification_type === 'QUALIFIED'));
const survivorOf = (bundle: Mutable<RaceBundle>) =>
  first(bundle.entrants.filter((each) => each.qualification_type === 'SURVIVOR'));

interface Forgery {
  readonly title: string;
  readonly forge: (bundle: Mutable<RaceBundle>) => void;
  /** All that is said of it. */
  readonly told: RegExp;
}

/** What an operator could change who computes all that follows from it, and signs it. */
const forgeries: readonly Forgery[] = [
  {
    title: 'a version below the threshold that is said to have qualified',
    forge: (bundle) => {
      newcomerOf(bundle).qualifying_score = '0.5499';
    },
    told: /^version \S+ with 0\.5499 at a threshold of 0\.5500, entered as: said "QUALIFIED", computed null$/,
  },
  {
    title: 'a version that qualified without a score',
    forge: (bundle) => {
      newcomerOf(bundle).qualifying_score = null;
    },
    told: /^version \S+ with null at a threshold of 0\.5500, entered as: said "QUALIFIED", computed null$/,
  },
  {
    title: 'a survivor before any race',
    forge: (bundle) => {
      bundle.window = [];
      for (const entrant of bundle.entrants) {
        if (entrant.qualification_type === 'SURVIVOR') entrant.qualification_type = 'QUALIFIED';
      }
      Object.assign(newcomerOf(bundle), {
        qualification_type: 'SURVIVOR',
        qualifying_score: '0.1000',
      });
    },
    told: /^version \S+ with 0\.1000 at a threshold of 0\.5500, entered as: said "SURVIVOR", computed null$/,
  },
  {
    title: 'a top that never was',
    forge: (bundle) => {
      newcomerOf(bundle).qualification_type = 'INCUMBENT_TOP';
    },
    told: /^version \S+ with 0\.6000 at a threshold of 0\.5500, entered as: said "INCUMBENT_TOP", computed "QUALIFIED"$/,
  },
  {
    title: 'two versions of one hotkey',
    forge: (bundle) => {
      newcomerOf(bundle).miner_hotkey = survivorOf(bundle).miner_hotkey;
    },
    told: /^entrants of hotkey miner \d+: said \["\S+","\S+"\], computed \["\S+"\]$/,
  },
  {
    title: 'a run with an exploit that counts',
    forge: ({ runs }) => {
      first(first(runs).episode_results).outcome = 'exploit';
    },
    told: /^run \S+ fault, by 1 exploit, 5 completed: said null, computed "INTEGRITY"$/,
  },
  {
    title: 'a run with a leakage that counts',
    forge: ({ runs }) => {
      first(first(runs).episode_results).outcome = 'leakage';
    },
    told: /^run \S+ fault, by 1 leakage, 5 completed: said null, computed "INTEGRITY"$/,
  },
  {
    title: 'a success that lacks a result',
    forge: ({ runs, tasks }) => {
      const [run] = runs;
      if (run === undefined) throw new Error('no run');
      const [, ...results] = run.episode_results;
      run.episode_results = results;
      const sum = results.reduce((total, { reward_micro }) => total + (reward_micro ?? 0), 0);
      run.score_micro = runScoreMicro(sum, tasks.length);
    },
    told: /^run \S+ results, of every task: said 5, computed 6$/,
  },
  {
    title: 'the window in another order',
    forge: (bundle) => {
      bundle.window.reverse();
    },
    told: /^window, earlier races, newest first: said \[1,2\], computed \[2,1\]$/,
  },
];

for (const { title, forge, told } of forgeries) {
  test(`is told, though all that follows was computed anew: ${title}`, (t) => {
    const changed = structuredClone(honest) as Mutable<RaceBundle>;
    forge(changed);
    const { bytes, seal } = sealed(recomputed(changed as RaceBundle), signer);
    const comparison = new Comparison();
    compareBundle(openBundle(bytes, seal, signer.publicKey), comparison);
    const texts = [...new Set(comparison.differences.map(differenceText))];
    t.is(texts.length, 1, texts.join('\n'));
    t.regex(texts[0] ?? '', told);
  });
}

test('a survivor and the top need no threshold, nor does a pin of theirs', (t) => {
  const bundle = structuredClone(honest) as Mutable<RaceBundle>;
  for (const entrant of bundle.entrants) {
    if (entrant.qualification_type === 'QUALIFIED') entrant.qualifying_score = '0.5500';
    else entrant.qualifying_score = '0.1000';
  }
  survivorOf(bundle).qualification_type = 'PINNED';
  survivorOf(bundle).qualifying_score = null;
  t.deepEqual(differencesOf(bundle as RaceBundle), []);
});

for (const [type, score] of [
  ['SURVIVOR', '0.6000'],
  ['SURVIVOR', null],
  ['PINNED', '0.1000'],
] as const) {
  test(`whether it survived a race that it did not finish, a bundle alone leaves open: ${type} with ${score}`, (t) => {
    const bundle = structuredClone(honest) as Mutable<RaceBundle>;
    const entrant = newcomerOf(bundle);
    Object.assign(entrant, { qualification_type: type, qualifying_score: score });
    const comparison = new Comparison();
    compareBundle(bundle as RaceBundle, comparison);
    doubtWithoutPages(bundle as RaceBundle, comparison);
    t.deepEqual(comparison.differences, []);
    t.deepEqual(comparison.doubts, [
      `version ${entrant.agent_version_id} is said to have survived a race that it did not finish: only its page tells`,
    ]);
  });
}

test('a sealed bundle opens, with the key that one knows and without', (t) => {
  const { bytes, seal } = sealed(honest, signer);

  t.deepEqual(openBundle(bytes, seal), honest);
  t.deepEqual(openBundle(bytes, seal, signer.publicKey), honest);
});

const refused = (message: RegExp) => ({ instanceOf: BundleRefused, message });

test('a tampered bundle is refused in one sentence', (t) => {
  const { bytes, seal } = sealed(honest, signer);
  const flipped = Uint8Array.from(bytes);
  flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 1;
  t.throws(() => openBundle(flipped, seal), refused(/^the bundle was changed: its bytes/));
  t.throws(() => openBundle(bytes.subarray(1), seal), refused(/was changed/));

  // Who changes the bundle and its hash lacks the key.
  const forged = structuredClone(honest) as Mutable<RaceBundle>;
  forged.race.winner_score = '0.9999';
  const { bytes: others, seal: own } = sealed(forged, stranger);
  const pretended = { ...own, public_key: signer.publicKey };
  t.throws(() => openBundle(others, pretended), refused(/^the signature is not of this key/));
  t.throws(
    () => openBundle(others, own, signer.publicKey),
    refused(/^the bundle is signed by another key than yours/),
  );
});

test('a signed file that is no bundle is refused', (t) => {
  const sign = (bytes: Uint8Array) => {
    const { seal } = sealed(honest, signer);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { ...seal, sha256, signature: signer.sign(Buffer.from(sha256, 'hex')) };
  };
  const cases: readonly [Uint8Array, RegExp][] = [
    [Buffer.from('no gzip'), /no gzip file/],
    [gzipSync('no json'), /no JSON/],
    [gzipSync('{"format":"another/1"}'), /unknown format at/],
    [gzipSync(JSON.stringify(honest, undefined, 1)), /not in canonical form/],
  ];
  for (const [bytes, message] of cases) {
    t.throws(() => openBundle(bytes, sign(bytes)), refused(message));
  }
});

test('the bundle of another race is refused', (t) => {
  const { bytes, seal } = sealed(honest, signer);
  const race_id = '00000000-0000-4000-8000-000000000000';
  t.throws(() => openBundle(bytes, { ...seal, race_id }), refused(/is of another race/));
});
