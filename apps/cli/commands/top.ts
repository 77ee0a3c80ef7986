import { table } from '../../world/terminal.ts';
import type { Leaderboard, Top, TopMinerPayout } from '../client/schemas.generated.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { plainText, shortened } from '../show/plain-text.ts';

/** Of the service. */
const limitMax = 500;

export const top: Command = {
  name: 'top',
  says: 'Show the top agent and the leaderboard below it',
  options: {
    score: { value: 'TYPE', says: 'rank by', among: ['qualifying', 'race'] },
    limit: { value: 'N', says: 'at most so many entries, up to 500 (default: 20)' },
    search: { value: 'TEXT', says: 'part of an agent’s name, or how a hotkey begins' },
  },
  examples: [
    ['paddock top --score race', 'by Overall'],
    ['paddock top --search my-agent', 'where one stands'],
  ],
  async run(asked, { client, out, isJson }) {
    const limit = asked.count('limit', { min: 1, max: limitMax }) ?? 20;
    const type = asked.text('score') as 'qualifying' | 'race' | undefined;
    const search = asked.text('search');
    const [now, payout, board] = await Promise.all([
      client.getPublicTop(),
      client.getPublicTopMinerPayout(),
      client.getPublicLeaderboard({ limit, score_type: type, q: search }),
    ]);
    if (isJson) {
      out.line(JSON.stringify({ top: now, payout, leaderboard: board }, null, 2));
      return exitCodes.done;
    }
    out.line(topText(now, payout));
    if (now.challenge_threshold !== null) {
      out.line(
        `To dethrone it, an Overall of ${now.challenge_threshold} is needed, if it does not race again itself.`,
      );
    }
    out.line();
    const lines = board.entries.length === 0 ? [emptyText(search)] : boardLines(board, type);
    for (const line of lines) out.line(line);
    return exitCodes.done;
  },
};

function topText({ top_agent_version_id: id, ...of }: Top, payout: TopMinerPayout): string {
  if (id === null) return 'There is no top agent.';
  const name = plainText(payout.agent_name ?? id);
  const pay = payout.tao_per_day === null ? '' : `, about ${payout.tao_per_day} TAO a day`;
  const usd = payout.usd_per_day === null ? '' : ` (${payout.usd_per_day} USD)`;
  const by = shortened(of.top_miner_hotkey ?? '');
  return `Top agent: ${name} of ${by} with ${of.top_score ?? 'no score'}${pay}${usd}`;
}

const scoreText = (value: number | null) => (value === null ? '–' : value.toFixed(4));

type Entry = Leaderboard['entries'][number];
type Columns = readonly (readonly [title: string, score: (entry: Entry) => number | null])[];

/** FROM and TO are of the score that the board ranks by, so that one stands before them. */
const scoresBy: Readonly<Record<'qualifying' | 'race', Columns>> = {
  qualifying: [
    ['SCORE', (each) => each.final_score],
    ['FROM', (each) => each.score_low],
    ['TO', (each) => each.score_high],
    ['OVERALL', (each) => each.weighted_score],
  ],
  race: [
    ['SCORE', (each) => each.race_score],
    ['FROM', (each) => each.score_low],
    ['TO', (each) => each.score_high],
    ['QUALIFYING', (each) => each.qualifying_score],
    ['OVERALL', (each) => each.weighted_score],
  ],
};

function emptyText(search: string | undefined): string {
  if (search === undefined) return 'Nobody is on the leaderboard yet.';
  return `No agent on the leaderboard is called so, and no hotkey begins so: ${plainText(search)}`;
}

function boardLines(
  { entries, total }: Leaderboard,
  type: keyof typeof scoresBy = 'qualifying',
): readonly string[] {
  const scores = scoresBy[type];
  const head = ['RANK', 'AGENT', 'VERSION', 'MINER', ...scores.map(([title]) => title), '', 'ID'];
  const rows = entries.map((each) => [
    String(each.rank),
    shortened(each.agent_name, 24),
    String(each.version_number),
    shortened(each.miner_hotkey),
    ...scores.map(([, of]) => scoreText(of(each))),
    marksOf(each),
    each.agent_version_id,
  ]);
  const rest = total - entries.length;
  return [
    ...table([head, ...rows]),
    ...(rest > 0 ? [`… and ${rest} more: ${restAdvice(entries.length)}`] : []),
  ];
}

function restAdvice(shown: number): string {
  return shown < limitMax ? '--limit shows them' : '--search finds one, and the page has all';
}

function marksOf(entry: Entry): string {
  if (entry.is_current_top) return 'top';
  if (entry.is_discarded) return 'discarded';
  if (entry.is_miner_banned) return 'banned';
  if (entry.eliminated_at !== null) return 'eliminated';
  return entry.is_active_qualifier ? 'races' : '';
}
