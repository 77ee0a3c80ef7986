import test from 'ava';
import { qualifier } from '../../../apps/edge/wire/qualifier.ts';
import { race } from '../../../apps/edge/wire/race.ts';
import type { RaceBundle } from '../../../machines/race/bundle.ts';
import { first, forged, honest, verified } from '../../support/forged-bundle.ts';
import { trialBundle } from '../../support/trial-bundle.ts';
import {
  boardPath,
  racePages,
  racePath,
  statusPath,
  type TrialPages,
  trialPages,
  versionStatus,
} from '../../support/trial-pages.ts';

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

test('nothing that a page says of a race and its entrants is left uncompared', async (t) => {
  const own = racePath(honest.race.race_id);
  const page = trialPages(honest)[own] as Record<'race', object> & { qualifiers: [object] };
  t.deepEqual(Object.keys(page.race).sort(), Object.keys(race.shape).sort());
  t.deepEqual(Object.keys(page.qualifiers[0]).sort(), Object.keys(qualifier.shape).sort());
  const others: Readonly<Record<string, unknown>> = { status: 'RACE_CANCELLED' };
  const otherThan = (field: string, value: unknown) => {
    if (field in others) return others[field];
    if (typeof value === 'number') return value + 1;
    if (field === 'policy') return { ...(value as object), race_tasks: 91 };
    return field === 'window'
      ? []
      : typeof value === 'boolean'
        ? value
        : '2026-07-01T00:00:00.000Z';
  };
  for (const [field, value] of Object.entries(page.race)) {
    const changed = { ...page.race, [field]: otherThan(field, value) };
    const { differences } = await verified(t, honest, {
      ...trialPages(honest),
      [own]: { ...page, race: changed },
    });
    t.regex(differences.join(), new RegExp(`^page of the race: ${field}: said`), field);
  }
  const [first, ...rest] = page.qualifiers;
  for (const [field, value] of Object.entries(first)) {
    // What a discard since then says is compared with the timeline of the version.
    if (field === 'agent_version_id' || field === 'is_discarded') continue;
    const qualifiers = [{ ...first, [field]: otherThan(field, value) }, ...rest];
    const { differences } = await verified(t, honest, {
      ...trialPages(honest),
      [own]: { ...page, qualifiers },
    });
    t.regex(differences.join(), /^page of version \S+: \w+: said/, field);
  }
});

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

test('a version that qualified and is not in the field is a doubt', async (t) => {
  const path = boardPath(honest.race);
  const board = trialPages(honest)[path] as { entries: object[] };
  const instant = (ms: number) => new Date(ms).toISOString();
  const qualified = {
    agent_version_id: '00000000-0000-4000-8000-000000000009',
    miner_hotkey: 'somebody',
    qualifying_score: 0.9,
    eligible_at: instant(honest.race.closed_at - 60_000),
    ...{ eliminated_at: null, is_miner_banned: false },
  };
  const doubtsOf = async (changes: object, of = honest) => {
    const entries = [{ ...qualified, ...changes }, ...board.entries];
    const { differences, doubts } = await verified(t, of, {
      ...trialPages(of),
      [path]: { entries },
    });
    t.deepEqual(differences, []);
    return doubts;
  };
  const why = 'a ban or a discard that was taken back, or another score then, would be why';
  const name = `version ${qualified.agent_version_id}`;
  t.deepEqual(await doubtsOf({}), [
    `${name} had qualified with 0.9 at the close, and its hotkey somebody has no entrant: ${why}`,
  ]);
  for (const changes of [
    { qualifying_score: 0.5499 },
    { qualifying_score: null },
    { eligible_at: instant(honest.race.closed_at - 1_000) },
    { eliminated_at: instant(honest.race.opened_at) },
    { is_miner_banned: true },
  ]) {
    t.deepEqual(await doubtsOf(changes), [], JSON.stringify(changes));
  }

  const { miner_hotkey: hotkey, qualifying_score: score } = first(honest.entrants);
  t.deepEqual(await doubtsOf({ miner_hotkey: hotkey }), [
    `${name} had qualified with 0.9 at the close, and its hotkey ${hotkey} raced with ${score}: ${why}`,
  ]);
  t.deepEqual(await doubtsOf({ miner_hotkey: hotkey, qualifying_score: Number(score) }), []);
  const pinned = forged(({ entrants }) => {
    first(entrants).qualification_type = 'PINNED';
  });
  t.deepEqual(await doubtsOf({ miner_hotkey: hotkey }, pinned), []);
});

test('a board of several pages is read to its end, whoever could not race before it', async (t) => {
  const path = boardPath(honest.race);
  const second = path.replace('offset=0', 'offset=500');
  const atClose = new Date(honest.race.closed_at - 60_000).toISOString();
  const entryOf = (name: number, changes: object = {}) => ({
    agent_version_id: `00000000-0000-4000-8000-${String(name).padStart(12, '0')}`,
    miner_hotkey: `somebody ${name}`,
    ...{ qualifying_score: 0.9, eligible_at: atClose, eliminated_at: null },
    ...{ is_miner_banned: false, ...changes },
  });
  const before = Array.from({ length: 500 }, (_, index) =>
    entryOf(index, { is_miner_banned: true }),
  );
  const pages = { ...trialPages(honest), [path]: { entries: before } };
  const { doubts } = await verified(t, honest, { ...pages, [second]: { entries: [entryOf(501)] } });

  t.is(doubts.length, 1, doubts.join('\n'));
  t.regex(doubts[0] ?? '', /hotkey somebody 501 has no entrant/);
});

test('the races before are found behind a page of others', async (t) => {
  const path = `/v1/public/races/history?suite_id=${honest.race.suite_id}&limit=100&offset=0`;
  const pages = trialPages(honest);
  const { races } = pages[path] as { races: readonly object[] };
  const cancelled = Array.from({ length: 99 }, (_, index) => ({
    ...{ race_id: `cancelled ${index}`, race_number: 3, status: 'RACE_CANCELLED' },
  }));
  const [own, ...earlier] = races;
  const told = await verified(t, honest, {
    ...pages,
    [path]: { races: [own, ...cancelled] },
    [path.replace('offset=0', 'offset=100')]: { races: earlier },
  });

  t.deepEqual(told, { differences: [], doubts: [] });
});

test('when qualifying closed is what the status of who entered then says', async (t) => {
  const earlier = forged(({ race }) => {
    race.closed_at = race.opened_at + 60_000;
  });
  const winner = honest.race.winner_agent_version_id ?? '';
  const { differences } = await verified(t, earlier, pagesOf(earlier));
  t.deepEqual(differences, [
    `close, when version ${winner} entered the race: "2026-07-07T19:01:00.000Z" in the bundle, "2026-07-08T19:00:00.000Z" on its page`,
  ]);

  const path = statusPath({ agent_version_id: winner });
  const silent = { ...trialPages(honest), [path]: { timeline: [] } };
  t.regex(
    (await verified(t, honest, silent)).differences.join(),
    /^close, .+, nothing on its page$/,
  );
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

const reigned = (bundle: RaceBundle) => bundle.top_before?.agent_version_id;
/** Somebody without an office, and the whole row is changed with what follows from it. */
const thrownOut = forged((bundle) => {
  const victim = first(
    bundle.entrants.filter(
      (each) => each.race_rank === 1 && each.agent_version_id !== reigned(bundle),
    ),
  );
  victim.unfinished_reason = 'DISCARDED';
});
const victim = first(thrownOut.entrants.filter((each) => each.unfinished_reason === 'DISCARDED'));

test('an entrant is discarded only where its public status says so', async (t) => {
  t.is(victim.race_score, null);
  const pages = { ...pagesOf(thrownOut), ...historyOf(thrownOut) };
  const name = `version ${victim.agent_version_id}`;
  const { differences } = await verified(t, thrownOut, pages);
  t.deepEqual(differences, [
    `${name}, discarded by the end of the race: true in the bundle, false on its page`,
  ]);

  const path = statusPath(victim);
  const late = await verified(t, thrownOut, { ...pages, [path]: versionStatus(honest, [-60_000]) });
  t.deepEqual(late.differences, differences);

  const rightly = { ...pages, [path]: versionStatus(honest, [60_000]) };
  t.deepEqual(await verified(t, thrownOut, rightly), { differences: [], doubts: [] });
});

const historyOf = (bundle: RaceBundle): TrialPages => {
  const path = `/v1/public/top/history?suite_id=${bundle.race.suite_id}`;
  return { [path]: trialPages(bundle)[path] };
};

test('a discard of which the status does not tell all is a doubt', async (t) => {
  const pages = { ...pagesOf(thrownOut), ...historyOf(thrownOut) };
  const path = statusPath(victim);
  const name = `version ${victim.agent_version_id}`;
  const discarded = versionStatus(honest, [60_000]);
  const near = versionStatus(honest, [-1_000]);
  const cut = { ...discarded, timeline: [] };
  const nearlyBack = versionStatus(honest, [60_000, 1_000]);
  for (const [page, doubt] of [
    [near, `${name} was discarded within seconds of the end of the race`],
    [nearlyBack, `${name} was reinstated within seconds of the end of the race`],
    [cut, `${name} is said to be discarded, and its public timeline does not go back so far`],
  ] as const) {
    const { differences, doubts } = await verified(t, thrownOut, { ...pages, [path]: page });
    t.deepEqual(differences, []);
    t.deepEqual(doubts, [doubt]);
  }
});

test('of a timeline that goes not back to the end, what is taken back later was there', async (t) => {
  const pages = { ...pagesOf(thrownOut), ...historyOf(thrownOut) };
  const whole = versionStatus(honest, [60_000, -60_000]);
  const cut = { ...whole, timeline: whole.timeline.slice(-1) };
  t.deepEqual(await verified(t, thrownOut, { ...pages, [statusPath(victim)]: cut }), {
    differences: [],
    doubts: [],
  });
});

test('a discard that counted for nothing is named', async (t) => {
  const [entrant] = honest.entrants.filter(({ race_rank }) => race_rank === 2);
  if (entrant === undefined) throw new Error('no second');
  const own = racePages(honest)[racePath(honest.race.race_id)] as {
    qualifiers: { agent_version_id: string }[];
  };
  const qualifiers = own.qualifiers.map((each) =>
    each.agent_version_id === entrant.agent_version_id ? { ...each, is_discarded: true } : each,
  );
  const pages = {
    ...trialPages(honest),
    [racePath(honest.race.race_id)]: { ...own, qualifiers },
  };
  const path = statusPath(entrant);
  const name = `version ${entrant.agent_version_id}`;
  const kept = await verified(t, honest, { ...pages, [path]: versionStatus(honest, [60_000]) });
  t.deepEqual(kept.differences, [
    `${name}, discarded by the end of the race: false in the bundle, true on its page`,
  ]);

  const backLater = versionStatus(honest, [60_000, -60_000, -120_000]);
  t.deepEqual(
    (await verified(t, honest, { ...pages, [path]: backLater })).differences,
    kept.differences,
  );
  const backBefore = versionStatus(honest, [120_000, 60_000, -60_000]);
  t.deepEqual(await verified(t, honest, { ...pages, [path]: backBefore }), {
    differences: [],
    doubts: [],
  });
  const later = { ...pages, [path]: versionStatus(honest, [-60_000]) };
  t.deepEqual(await verified(t, honest, later), { differences: [], doubts: [] });
});

test('a ban is a doubt', async (t) => {
  const banned = forged((bundle) => {
    const one = first(
      bundle.entrants.filter(({ agent_version_id: id }) => id === victim.agent_version_id),
    );
    one.unfinished_reason = 'BANNED';
  });
  const pages = { ...pagesOf(banned), ...historyOf(banned) };
  t.deepEqual(await verified(t, banned, pages), {
    differences: [],
    doubts: [`version ${victim.agent_version_id} is said to be banned, and bans are not public`],
  });
});

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
