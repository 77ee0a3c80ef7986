import { useEffect, useRef, useState } from 'preact/hooks';
import type { Leaderboard } from '../../../cli/client/schemas.generated.ts';
import { after } from '../clock.ts';
import { countText, scoreText } from '../format.ts';
import type { PublicEvent } from '../live.ts';
import { Interval, type Range, rangeOf } from '../parts/interval.tsx';
import { Pager } from '../parts/pager.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Key, When } from '../parts/words.tsx';
import { addressOf, go, Link } from '../router.tsx';
import { useAnswer } from '../use-answer.ts';
import { useTitle } from '../use-title.ts';

type Entry = Leaderboard['entries'][number];

const pageSize = 50;
const typingMs = 250;
/** What a challenger has to beat falls with time, of which no event tells. */
const decayMs = 60_000;
const changing: ReadonlySet<PublicEvent['type']> = new Set([
  'submission-accepted',
  'version-eligible',
  'race-completed',
  'top-changed',
]);

interface Asked {
  readonly page: number;
  readonly q: string;
  readonly board: 'qualifying' | 'race';
}

function askedOf(query: URLSearchParams): Asked {
  const page = Number.parseInt(query.get('page') ?? '1', 10);
  return {
    page: Number.isFinite(page) && page > 0 ? page : 1,
    q: query.get('q') ?? '',
    board: query.get('board') === 'race' ? 'race' : 'qualifying',
  };
}

function boardAddress({ page, q, board }: Asked): string {
  const shown = { page: page === 1 ? undefined : page, q, board: board === 'race' ? board : '' };
  return addressOf('leaderboard', '', shown);
}

export function LeaderboardPage({ query }: { readonly query: URLSearchParams }) {
  useTitle('Leaderboard');
  const asked = askedOf(query);
  const search = new URLSearchParams({
    limit: String(pageSize),
    offset: String((asked.page - 1) * pageSize),
    score_type: asked.board,
    ...(asked.q !== '' && { q: asked.q }),
  });
  const path = `/v1/public/leaderboard?${search}`;
  const answer = useAnswer<Leaderboard>(path, {
    on: ({ type }) => changing.has(type),
    everyMs: decayMs,
  });
  return (
    <>
      <h1>Leaderboard</h1>
      <div class="bar">
        <Search asked={asked} />
        <Boards asked={asked} />
      </div>
      <Loaded answer={answer} what="the leaderboard">
        {(board) => <Board board={board} asked={asked} />}
      </Loaded>
    </>
  );
}

function Search({ asked }: { readonly asked: Asked }) {
  const [text, setText] = useState(asked.q);
  const typed = useRef(asked.q);
  // Somebody may ask for the other board before the typing is over.
  const latest = useRef(asked);
  latest.current = asked;
  // A link or a step back asks for something else; who types on has more than was asked for.
  useEffect(() => {
    if (asked.q !== typed.current) setText(asked.q);
    typed.current = asked.q;
  }, [asked.q]);
  useEffect(() => {
    if (text === asked.q) return;
    return after(typingMs, () => {
      typed.current = text;
      go(boardAddress({ ...latest.current, q: text, page: 1 }), { replace: true });
    });
  }, [text]);
  return (
    <search>
      <label>
        Search by agent or hotkey{' '}
        <input
          type="search"
          maxLength={64}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
    </search>
  );
}

function Boards({ asked }: { readonly asked: Asked }) {
  const boards = [
    { board: 'qualifying', title: 'Qualifying' },
    { board: 'race', title: 'Races' },
  ] as const;
  return (
    <nav class="tabs" aria-label="Which scores">
      {boards.map(({ board, title }) => (
        <Link
          key={board}
          to={boardAddress({ ...asked, board, page: 1 })}
          aria-current={asked.board === board ? 'true' : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

function Board({ board, asked }: { readonly board: Leaderboard; readonly asked: Asked }) {
  const { entries, total } = board;
  const range = rangeOf(
    entries.flatMap((entry) => [entry.score_low, entry.score_high, scoreOf(entry, asked.board)]),
  );
  return (
    <>
      <dl class="facts">
        <Fact title="Versions" text={countText(total)} />
        <Fact title="Miners" text={countText(board.unique_miners)} />
        <Fact title="Submitted in 24 h" text={countText(board.agents_submitted_24h)} />
        <Fact title="Overall to beat" text={scoreText(board.challenge_threshold)} />
        <Fact title="Suite" text={suiteText(board)} />
      </dl>
      {entries.length === 0 ? (
        <Empty>{emptyText(board, asked)}</Empty>
      ) : (
        <Table
          caption={`Eligible versions by ${asked.board} score`}
          isCaptionHidden
          columns={columnsOf(asked.board, range)}
          rows={entries}
          keyOf={(entry) => entry.agent_version_id}
          mark={(entry) => (entry.is_current_top ? 'is-top' : undefined)}
        />
      )}
      <Pager
        page={asked.page}
        pageCount={Math.ceil(total / pageSize)}
        addressOfPage={(page) => boardAddress({ ...asked, page })}
      />
    </>
  );
}

function Fact({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{text}</dd>
    </div>
  );
}

function suiteText({ suite }: Leaderboard): string {
  return suite === null ? 'none yet' : `${suite.benchmark_name} ${suite.benchmark_number}`;
}

function emptyText({ suite, total }: Leaderboard, { q, page }: Asked): string {
  if (suite === null) return 'No suite is active yet: an operator activates the first one.';
  if (q !== '') return `No agent and no hotkey fits “${q}”.`;
  if (page > 1 && total > 0) return 'The list ends before this page.';
  return 'No version is eligible yet. The first ones appear here when their validators are done.';
}

function scoreOf(entry: Entry, board: Asked['board']): number | null {
  return board === 'race' ? entry.race_score : entry.qualifying_score;
}

function columnsOf(board: Asked['board'], range: Range): readonly Column<Entry>[] {
  return [
    { title: 'Rank', isNumber: true, cell: ({ rank }) => countText(rank) },
    { title: 'Agent', isHead: true, cell: (entry) => <Agent entry={entry} /> },
    { title: 'Miner', isMinor: true, cell: (entry) => <Key text={entry.miner_hotkey} /> },
    { title: 'Score', isNumber: true, cell: (entry) => scoreText(scoreOf(entry, board)) },
    {
      title: '95 % interval',
      cell: (entry) => (
        <Interval
          score={scoreOf(entry, board)}
          low={entry.score_low}
          high={entry.score_high}
          range={range}
        />
      ),
    },
    ...(board === 'race'
      ? [
          {
            title: 'Overall',
            isNumber: true,
            cell: (entry: Entry) => scoreText(entry.weighted_score),
          },
        ]
      : []),
    { title: 'Eligible', isMinor: true, cell: (entry) => <When at={entry.eligible_at} /> },
  ];
}

function Agent({ entry }: { readonly entry: Entry }) {
  return (
    <>
      <Link to={addressOf('version', entry.agent_version_id)}>
        {entry.agent_name} <span class="muted">v{entry.version_number}</span>
      </Link>{' '}
      {badgesOf(entry).map((badge) => (
        <span key={badge} class="badge">
          {badge}
        </span>
      ))}
    </>
  );
}

function badgesOf(entry: Entry): string[] {
  return [
    ...(entry.is_current_top ? ['top'] : entry.was_top ? ['was top'] : []),
    ...(entry.is_active_qualifier ? ['racing'] : []),
    ...(entry.eliminated_at === null ? [] : ['eliminated']),
    ...(entry.is_discarded ? ['discarded'] : []),
    ...(entry.is_miner_banned ? ['banned'] : []),
  ];
}
