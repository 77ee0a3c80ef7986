import test from 'ava';
import { first, forged, honest, verified } from '../../support/forged-bundle.ts';
import { racePath, type TrialPages, trialPages } from '../../support/trial-pages.ts';

interface Unfinished {
  readonly eliminatedAt?: string | null;
  readonly reason?: string;
}

/** The page of the race before, with an entrant more that has no score. */
function withUnfinished(
  pages: TrialPages,
  id: string,
  { eliminatedAt = null, reason = 'NOT_FINISHED' }: Unfinished = {},
): TrialPages {
  const path = racePath(first(honest.window).race_id);
  const page = pages[path] as { readonly qualifiers: readonly object[] };
  const entrant = honest.entrants.find((each) => each.agent_version_id === id);
  const unfinished = {
    ...first(page.qualifiers),
    ...{
      agent_version_id: id,
      miner_hotkey: entrant?.miner_hotkey ?? 'x',
      eliminated_at: eliminatedAt,
    },
    ...{ race_score: null, weighted_score: null, race_rank: null, unfinished_reason: reason },
  };
  return { ...pages, [path]: { ...page, qualifiers: [...page.qualifiers, unfinished] } };
}

for (const [type, reign] of [
  ['SURVIVOR', 'that stands'],
  ['PINNED', 'that stands'],
  ['SURVIVOR', 'that fell'],
  ['PINNED', 'that fell'],
] as const) {
  test(`whether it survived a race that it did not finish is on the page of that: ${type}, beside a top ${reign}`, async (t) => {
    const newcomers = honest.entrants.filter((each) => each.qualification_type === 'QUALIFIED');
    const { agent_version_id: id } = first(newcomers);
    const claimed = forged((bundle) => {
      if (reign === 'that fell') {
        bundle.top_before = null;
        for (const each of bundle.entrants) {
          if (each.qualification_type === 'INCUMBENT_TOP') each.qualification_type = 'SURVIVOR';
        }
      }
      for (const each of bundle.entrants.filter(
        ({ agent_version_id }) => agent_version_id === id,
      )) {
        Object.assign(each, { qualification_type: type, qualifying_score: '0.1000' });
      }
    });
    const pages = trialPages(claimed);
    t.deepEqual(await verified(t, claimed, withUnfinished(pages, id)), {
      differences: [],
      doubts: [],
    });
    const right =
      type === 'PINNED' && reign === 'that fell'
        ? 'top or survivor at the close'
        : 'survivor of race 2';
    const lie = `version ${id}, ${right}: true in the bundle, false on its page`;
    t.deepEqual((await verified(t, claimed, pages)).differences, [lie]);
    const dethroned = withUnfinished(pages, id, { reason: 'AGENT_FAULT' });
    t.deepEqual((await verified(t, claimed, dethroned)).differences, [lie]);
    const eliminatedAt = new Date(claimed.race.opened_at).toISOString();
    const gone = withUnfinished(pages, id, { eliminatedAt });
    t.deepEqual((await verified(t, claimed, gone)).differences, [
      `eliminated in race 2, and racing again: ["${id}"] in the bundle, [] on its page`,
      lie,
    ]);
  });
}

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

test('a former top that failed by its own fault and is not entered is no doubt', async (t) => {
  const id = '00000000-0000-4000-8000-000000000009';
  const doubtsOf = async (reason: string) =>
    (await verified(t, honest, withUnfinished(trialPages(honest), id, { reason }))).doubts.length;
  t.is(await doubtsOf('AGENT_FAULT'), 0);
  t.is(await doubtsOf('NOT_FINISHED'), 1);
});
