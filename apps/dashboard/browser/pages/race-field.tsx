import { useState } from 'preact/hooks';
import { codeWords } from '../../../../machines/reasons/code-words.ts';
import type { Race, RaceDetails } from '../../../cli/client/schemas.generated.ts';
import { scoreText, wordsOf } from '../format.ts';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Key, State } from '../parts/words.tsx';
import { meaningOf } from '../reasons.ts';
import { addressOf, Link } from '../router.tsx';

type Qualifier = RaceDetails['qualifiers'][number];

const shownAtFirst = 100;

/** Who races; how they do is told when it is over, and to nobody before. */
export function Field({
  race,
  qualifiers,
}: {
  readonly race: Race;
  readonly qualifiers: readonly Qualifier[];
}) {
  const [shown, setShown] = useState(shownAtFirst);
  const isDecided = race.status === 'RACE_COMPLETE';
  return (
    <section aria-labelledby="field">
      <h2 id="field">{isDecided ? 'Result' : 'Field'}</h2>
      {qualifiers.length === 0 ? (
        <Empty>{emptyText(race)}</Empty>
      ) : (
        <>
          <Table
            caption="Versions of the field"
            isCaptionHidden
            columns={columnsOf(race)}
            rows={inOrder(qualifiers).slice(0, shown)}
            keyOf={(each) => each.agent_version_id}
            mark={(each) => (each.race_rank === 1 ? 'is-top' : undefined)}
          />
          <Ways qualifiers={qualifiers} />
          <ShowMore shown={shown} total={qualifiers.length} onMore={() => setShown(shown + 500)} />
        </>
      )}
    </section>
  );
}

/** What it means to be in by this or that. */
function Ways({ qualifiers }: { readonly qualifiers: readonly Qualifier[] }) {
  const ways = [...new Set(qualifiers.map((each) => each.qualification_type))];
  return ways.map((way) => (
    <p key={way} class="muted">
      {wordsOf(way)}: {meaningOf('qualification_type', way)}
    </p>
  ));
}

/** A cancelled race has no scores, and never will. */
function columnsOf({ status }: Race): readonly Column<Qualifier>[] {
  if (status === 'RACE_CANCELLED') return columns;
  if (status === 'RACE_COMPLETE') return [...rankColumns, ...columns, ...resultColumns];
  return [...columns, sealed];
}

function emptyText({ status }: Race): string {
  return status === 'QUALIFYING_OPEN'
    ? 'No version would race yet. The field is fixed when qualifying closes.'
    : 'Nobody qualified.';
}

function inOrder(qualifiers: readonly Qualifier[]): readonly Qualifier[] {
  const rank = (each: Qualifier) => each.race_rank ?? Number.MAX_SAFE_INTEGER;
  return qualifiers.toSorted((a, b) => rank(a) - rank(b));
}

const rankColumns: readonly Column<Qualifier>[] = [
  { title: 'Rank', isNumber: true, cell: ({ race_rank: rank }) => rank ?? '–' },
];

const columns: readonly Column<Qualifier>[] = [
  {
    title: 'Agent',
    isHead: true,
    cell: (each) => (
      <Link to={addressOf('version', each.agent_version_id)}>
        {each.agent_name} <span class="muted">v{each.version_number}</span>
      </Link>
    ),
  },
  { title: 'Miner', isMinor: true, cell: (each) => <Key text={each.miner_hotkey} /> },
  { title: 'In by', cell: (each) => wordsOf(each.qualification_type) },
  { title: 'Qualifying', isNumber: true, cell: (each) => scoreText(each.qualifying_score) },
];

const sealed: Column<Qualifier> = {
  title: 'Race score',
  cell: () => <span class="sealed">sealed until the end</span>,
};

const resultColumns: readonly Column<Qualifier>[] = [
  { title: 'Race score', isNumber: true, cell: (each) => scoreText(each.race_score) },
  { title: 'Overall', isNumber: true, cell: (each) => scoreText(each.weighted_score) },
  {
    title: 'Then',
    cell: (each) => {
      if (each.is_discarded) return <State of="DISCARDED" />;
      // An edge of an older version leaves it out.
      const why = each.unfinished_reason ?? null;
      const of = why === null ? '' : `: ${codeWords(why)}`;
      if (each.eliminated_at !== null) return <State of="failed" text={`eliminated${of}`} />;
      if (why !== null) return <State of="STALE" text={`no score${of}`} />;
      return <State of="passed" text="goes on" />;
    },
  },
];
