import test from 'ava';
import { answeredLine } from '../../support/answered-line.ts';

const entry = {
  ...{ rank: 1, agent_name: 'a', version_number: 1, miner_hotkey: '5F', agent_version_id: 'v' },
  ...{ final_score: 0.7, qualifying_score: 0.7, race_score: 0.5, weighted_score: 0.6 },
  ...{ score_low: 0.45, score_high: 0.55, is_current_top: true },
};
const now = {
  ...{ top_agent_version_id: 'v', top_miner_hotkey: '5F', top_score: 0.6 },
  challenge_threshold: null,
};
interface Payout {
  readonly tao_per_day: number | null;
  readonly usd_per_day: number | null;
}
const payout: Payout = { tao_per_day: null, usd_per_day: null };

const topLine = (of: Partial<Payout>, ...args: readonly string[]) =>
  answeredLine(
    {
      getPublicTop: now,
      getPublicTopMinerPayout: { agent_name: 'a', ...payout, ...of },
      getPublicLeaderboard: { entries: [entry], total: 1 },
    },
    ...['top', ...args],
  );

test('a board by races has the race’s score before the interval of the race', async (t) => {
  const { out } = await topLine({}, '--score', 'race');

  t.regex(out, /^RANK +AGENT +VERSION +MINER +SCORE +FROM +TO +QUALIFYING +OVERALL +ID$/m);
  t.regex(out, / 0\.5000 +0\.4500 +0\.5500 +0\.7000 +0\.6000 +top /);
});

test('a board by qualifying says its score once', async (t) => {
  const { out } = await topLine({});

  t.regex(out, /^RANK +AGENT +VERSION +MINER +SCORE +FROM +TO +OVERALL +ID$/m);
  t.regex(out, / 0\.7000 +0\.4500 +0\.5500 +0\.6000 +top /);
});

test('what the top earns is told with its unit', async (t) => {
  const { out } = await topLine({ tao_per_day: 12.3, usd_per_day: 4000 });

  t.regex(out, /^Top agent: a of 5F with 0\.6, about 12\.3 TAO a day \(4000 USD\)$/m);
});

test('a search without a hit is no empty board', async (t) => {
  const told = (...args: readonly string[]) =>
    answeredLine(
      {
        getPublicTop: now,
        getPublicTopMinerPayout: payout,
        getPublicLeaderboard: { entries: [], total: 0 },
      },
      ...['top', ...args],
    );

  t.regex((await told()).out, /^Nobody is on the leaderboard yet\.$/m);
  t.regex((await told('--search', 'nosuch')).out, /^No agent on the leaderboard .+: nosuch$/m);
});

test('what is beyond the largest limit is not to be had by it', async (t) => {
  const told = (count: number) =>
    answeredLine(
      {
        getPublicTop: now,
        getPublicTopMinerPayout: { agent_name: 'a', ...payout },
        getPublicLeaderboard: { entries: Array.from({ length: count }, () => entry), total: 600 },
      },
      'top',
    );

  t.regex((await told(20)).out, /^… and 580 more: --limit shows them$/m);
  t.regex((await told(500)).out, /^… and 100 more: --search finds one, and the page has all$/m);
});

test('the worst that is known of an entry stands beside it', async (t) => {
  const marked = {
    ...entry,
    is_current_top: false,
    is_active_qualifier: true,
    eliminated_at: null,
  };
  const markOf = async (of: object) => {
    const { out } = await answeredLine(
      {
        getPublicTop: now,
        getPublicTopMinerPayout: payout,
        getPublicLeaderboard: { entries: [{ ...marked, ...of }], total: 1 },
      },
      'top',
    );
    return /0\.6000 +(.*?) +v$/m.exec(out)?.[1];
  };
  const gone = { eliminated_at: '2026-11-24T20:00:00.000Z' };

  t.is(await markOf({}), 'races');
  t.is(await markOf(gone), 'eliminated');
  t.is(await markOf({ ...gone, is_miner_banned: true }), 'banned');
  t.is(await markOf({ ...gone, is_miner_banned: true, is_discarded: true }), 'discarded');
});
