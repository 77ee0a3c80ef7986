import test, { type ExecutionContext } from 'ava';
import { compareApi } from '../../../apps/verify/compare-api.ts';
import { compareBundle } from '../../../apps/verify/compare-bundle.ts';
import { Comparison, differenceText } from '../../../apps/verify/difference.ts';
import { openBundle } from '../../../apps/verify/sealed-bundle.ts';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import type { RaceBundle } from '../../../machines/race/bundle.ts';
import { recomputed, sealed, trialBundle } from '../../support/trial-bundle.ts';
import {
  racePages,
  racePath,
  servePages,
  statusPath,
  type TrialPages,
  trialPages,
  versionStatus,
} from '../../support/trial-pages.ts';

const signer = createEd25519Signer(new Uint8Array(32).fill(1));
const top = { name: '4', score: '0.4731' };
const honest = trialBundle({ top });

type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> };

const first = <T>(list: readonly T[]): T => {
  const [value] = list;
  if (value === undefined) throw new Error('nothing to change');
  return value;
};

/** All that follows is computed again, so that the bundle agrees with itself. */
function forged(change: (bundle: Mutable<RaceBundle>) => void, of = honest): RaceBundle {
  const bundle = structuredClone(of) as Mutable<RaceBundle>;
  change(bundle);
  return recomputed(bundle as RaceBundle);
}

/** Signed by the operator, opened, and held against pages: what differs and what is in doubt. */
async function verified(t: ExecutionContext, bundle: RaceBundle, pages: TrialPages) {
  const { bytes, seal } = sealed(bundle, signer);
  const opened = openBundle(bytes, seal, signer.publicKey);
  const comparison = new Comparison();
  compareBundle(opened, comparison);
  t.deepEqual(comparison.differences.map(differenceText), [], 'the bundle agrees with itself');
  await compareApi(await servePages(t, pages), opened, comparison);
  return {
    differences: comparison.differences.map(differenceText),
    doubts: comparison.doubts,
  };
}

/** The race's own page says what the bundle says; whatever stood elsewhere for days is as it was. */
function pagesOf(bundle: RaceBundle, of = honest): TrialPages {
  const own = racePath(bundle.race.race_id);
  return { ...trialPages(of), [own]: racePages(bundle)[own] };
}

for (const [which, bundle] of [
  ['that raced', honest],
  ['that did not race', trialBundle({ top: { name: 'absent', score: '0.9900' } })],
  ['that nobody is', trialBundle()],
] as const) {
  test(`an honest bundle agrees with its pages: with a top ${which}`, async (t) => {
    t.deepEqual(await verified(t, bundle, trialPages(bundle)), { differences: [], doubts: [] });
  });
}

test('an earlier race of the window is what its own page says', async (t) => {
  const anchored = forged(({ window }) => {
    first(window).anchor = '0.4400';
  });
  const { differences } = await verified(t, anchored, pagesOf(anchored));
  t.deepEqual(differences, ['race 2, anchor: 0.44 in the bundle, 0.45 on its page']);

  const id = first(Object.keys(first(honest.window).raw_scores));
  const scored = forged(({ window }) => {
    first(window).raw_scores[id] = '0.4600';
  });
  const of = await verified(t, scored, pagesOf(scored));
  t.deepEqual(of.differences, [
    `race 2, race score of version ${id}: 0.46 in the bundle, 0.45 on its page`,
  ]);
});

test('no race is left out of the window, and no eliminated version races again', async (t) => {
  const [, older] = honest.window;
  const shortened = forged((bundle) => {
    bundle.window = bundle.window.slice(0, 1);
  });
  const { differences } = await verified(t, shortened, pagesOf(shortened));
  const [newer] = honest.window;
  t.deepEqual(differences, [
    `window: ["${newer?.race_id}"] in the bundle, ["${newer?.race_id}","${older?.race_id}"] on its page`,
  ]);

  const pages = trialPages(honest);
  const page = pages[racePath(older?.race_id ?? '')] as {
    qualifiers: { agent_version_id: string; eliminated_at: string | null }[];
  };
  const gone = first(page.qualifiers);
  gone.eliminated_at = new Date(honest.race.opened_at).toISOString();
  const again = await verified(t, honest, pages);
  t.deepEqual(again.differences, [
    `eliminated in race 1, and racing again: ["${gone.agent_version_id}"] in the bundle, [] on its page`,
  ]);
});

test('a survivor that is not entered is a doubt, for its miner may be banned', async (t) => {
  const id = '00000000-0000-4000-8000-000000000009';
  const lacking = forged(({ window }) => {
    first(window).raw_scores[id] = '0.4500';
  });
  t.deepEqual(await verified(t, lacking, trialPages(lacking)), {
    differences: [],
    doubts: [
      `hotkey miner of ${id} survived race 2 and has no entrant: a ban would be why, and bans are not public`,
    ],
  });
});

test('who reigned, and since when, is what the public history says', async (t) => {
  const longer = forged(({ top_before }) => {
    if (top_before !== null) top_before.top_at -= 30 * 86_400_000;
  });
  const { differences } = await verified(t, longer, pagesOf(longer));
  t.deepEqual(differences, [
    'top before, since when: "2026-06-08T02:28:48.000Z" in the bundle, "2026-07-08T02:28:48.000Z" on its page',
  ]);

  const other = forged(({ top_before, entrants }) => {
    const [old, winner] = [
      entrants.find((each) => each.qualification_type === 'INCUMBENT_TOP'),
      entrants.find((each) => each.race_rank === 1),
    ];
    if (top_before === null || old === undefined || winner === undefined) throw new Error('no top');
    top_before.agent_version_id = winner.agent_version_id;
    top_before.miner_hotkey = winner.miner_hotkey;
    old.qualification_type = 'SURVIVOR';
    winner.qualification_type = 'INCUMBENT_TOP';
  });
  const of = await verified(t, other, pagesOf(other));
  t.true(
    of.differences.some((each) => /^top before: "\S+" in the bundle, "\S+" on/.test(each)),
    of.differences.join('\n'),
  );
});

test('a top that is hushed up is named, unless it fell before the end', async (t) => {
  const hushed = forged((bundle) => {
    bundle.top_before = null;
  });
  const pages = { ...pagesOf(hushed), ...historyEndingWith(hushed) };
  const id = honest.top_before?.agent_version_id ?? '';
  const status = (reason: string) => {
    const at = new Date(honest.race.completed_at).toISOString();
    const page = versionStatus(honest, []);
    const ended = { at, event: 'reign_ended', detail: reason };
    return { ...page, timeline: [...page.timeline, ended] };
  };
  const path = statusPath({ agent_version_id: id });
  const { differences } = await verified(t, hushed, { ...pages, [path]: status('OUTRANKED') });
  t.deepEqual(differences, [`top before: null in the bundle, "${id}" on its page`]);

  const fell = await verified(t, hushed, { ...pages, [path]: status('BANNED') });
  t.deepEqual(fell, { differences: [], doubts: [] });
});

/** The reign of before ends with the race, by whose promotion another begins. */
function historyEndingWith(bundle: RaceBundle): TrialPages {
  const path = `/v1/public/top/history?suite_id=${bundle.race.suite_id}`;
  const [begun] = trialPages(bundle)[path] as object[];
  const [before] = (trialPages(honest)[path] as object[]).slice(-1);
  const at = new Date(bundle.race.completed_at).toISOString();
  return { [path]: [begun, { ...before, ended_at: at }] };
}

test('the score of a top that did not race is of its last race', async (t) => {
  const absent = trialBundle({ top: { name: 'absent', score: '0.9900' } });
  const higher = forged(({ top_before }) => {
    if (top_before !== null) top_before.score = '0.9950';
  }, absent);
  const { differences } = await verified(t, higher, pagesOf(higher, absent));
  t.deepEqual(differences, ['top before, score: 0.995 in the bundle, 0.99 on its page']);
});

const historyOf = (bundle: RaceBundle): TrialPages => {
  const path = `/v1/public/top/history?suite_id=${bundle.race.suite_id}`;
  return { [path]: trialPages(bundle)[path] };
};

test('an incumbent top that reigns no more reigned at the close', async (t) => {
  const fallen = forged((bundle) => {
    bundle.top_before = null;
  });
  const id = honest.top_before?.agent_version_id ?? '';
  const pages = { ...pagesOf(fallen), ...historyOf(fallen) };
  t.deepEqual((await verified(t, fallen, pages)).differences, [
    `version ${id}, top at the close: true in the bundle, false on its page`,
  ]);

  const path = `/v1/public/top/history?suite_id=${fallen.race.suite_id}`;
  const [before] = (trialPages(honest)[path] as object[]).slice(-1);
  const ended_at = new Date(fallen.race.started_at).toISOString();
  const [begun] = trialPages(fallen)[path] as object[];
  const rightly = { ...pages, [path]: [begun, { ...before, ended_at }] };
  t.deepEqual(await verified(t, fallen, rightly), { differences: [], doubts: [] });
});
