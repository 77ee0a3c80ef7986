import { useState } from 'preact/hooks';
import type { EvaluationRunDetail } from '../../../cli/client/schemas.generated.ts';
import { scoreText, shortKey } from '../format.ts';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { State } from '../parts/words.tsx';
import { Link } from '../router.tsx';
import { failureOf, type ItemPair, isApart, pairsOf, type RunItem } from './run-outcomes.ts';

/** A benchmark may have thousands; so many more are drawn at each wish. */
const shownStep = 200;

function Only({
  text,
  isOn,
  onChange,
}: {
  readonly text: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <label class="bar">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />{' '}
      {text}
    </label>
  );
}

export function Items({
  items,
  isFailuresOnly,
  onFailuresOnly,
  openAddress,
}: {
  readonly items: readonly RunItem[];
  readonly isFailuresOnly: boolean;
  readonly onFailuresOnly: (isOn: boolean) => void;
  readonly openAddress: (item: string) => string;
}) {
  const [shown, setShown] = useState(shownStep);
  const failed = items.filter((item) => failureOf(item) !== undefined);
  const listed = isFailuresOnly ? failed : items;
  const columns: readonly Column<RunItem>[] = [
    { title: 'Task', isHead: true, cell: (item) => item.item_id },
    { title: 'Family', isMinor: true, cell: ({ family }) => family ?? '–' },
    { title: 'Verdict', cell: (item) => <State of={item.verdict_status} /> },
    { title: 'Reward', isNumber: true, cell: (item) => scoreText(item.paid_reward) },
    { title: 'Steps', isNumber: true, isMinor: true, cell: (item) => item.step_count ?? '–' },
    { title: 'What went wrong', cell: (item) => failureOf(item) ?? <span class="muted">–</span> },
    {
      title: 'Episode',
      cell: (item) =>
        item.episode_result_id === null ? (
          <span class="muted">–</span>
        ) : (
          <Link
            class="cell-action"
            to={openAddress(item.item_id)}
            aria-label={`Open the episode of ${item.item_id}`}
          >
            Open
          </Link>
        ),
    },
  ];
  return (
    <section aria-labelledby="results">
      <h2 id="results">Results</h2>
      {items.length === 0 ? (
        <Empty>No results are stored yet. They are listed here as the validator sends them.</Empty>
      ) : (
        <>
          <Only
            text={`Only the ${failed.length} of ${items.length} that did not pass`}
            isOn={isFailuresOnly}
            onChange={onFailuresOnly}
          />
          <Table
            caption="Results by task"
            isCaptionHidden
            columns={columns}
            rows={listed.slice(0, shown)}
            keyOf={(item) => item.item_id}
          />
          <ShowMore
            shown={shown}
            total={listed.length}
            onMore={() => setShown(shown + shownStep)}
          />
        </>
      )}
    </section>
  );
}

export function ComparedItems({
  mine,
  other,
  openAddress,
}: {
  readonly mine: EvaluationRunDetail;
  readonly other: EvaluationRunDetail;
  readonly openAddress: (item: string) => string;
}) {
  const [isApartOnly, setApartOnly] = useState(false);
  const [shown, setShown] = useState(shownStep);
  const pairs = pairsOf(mine.items.items, other.items.items);
  const apart = pairs.filter(isApart);
  const listed = isApartOnly ? apart : pairs;
  const [first, second] = [shortKey(mine.validator_hotkey), shortKey(other.validator_hotkey)];
  const columns: readonly Column<ItemPair>[] = [
    { title: 'Task', isHead: true, cell: ({ id }) => id },
    { title: `${first} (this)`, cell: (pair) => <Told item={pair.mine} /> },
    { title: `${second} (other)`, cell: (pair) => <Told item={pair.other} /> },
    { title: 'Difference', isNumber: true, cell: differenceOf },
    {
      title: 'Episodes',
      cell: ({ id }) => (
        <Link class="cell-action" to={openAddress(id)} aria-label={`Open both episodes of ${id}`}>
          Open both
        </Link>
      ),
    },
  ];
  return (
    <section aria-labelledby="results">
      <h2 id="results">Results side by side</h2>
      <Only
        text={`Only the ${apart.length} of ${pairs.length} on which they differ`}
        isOn={isApartOnly}
        onChange={setApartOnly}
      />
      <Table
        caption="Results of both runs by task"
        isCaptionHidden
        columns={columns}
        rows={listed.slice(0, shown)}
        keyOf={({ id }) => id}
        mark={(pair) => (isApart(pair) ? 'is-apart' : undefined)}
      />
      <ShowMore shown={shown} total={listed.length} onMore={() => setShown(shown + shownStep)} />
    </section>
  );
}

function Told({ item }: { readonly item: RunItem | undefined }) {
  if (item === undefined) return <span class="muted">no result</span>;
  const failure = failureOf(item);
  return (
    <>
      <State of={item.verdict_status} /> {scoreText(item.paid_reward)}
      {failure !== undefined && <span class="muted"> {failure}</span>}
    </>
  );
}

function differenceOf({ mine, other }: ItemPair): string {
  if (mine === undefined || other === undefined) return '–';
  const difference = (mine.paid_reward ?? 0) - (other.paid_reward ?? 0);
  return `${difference > 0 ? '+' : ''}${difference.toFixed(4)}`;
}
