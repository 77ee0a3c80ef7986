import { useState } from 'preact/hooks';
import { explained } from '../../../../machines/reasons/explained.ts';
import type { PendingEvaluations } from '../../../cli/client/schemas.generated.ts';
import { countText } from '../format.ts';
import type { PublicEvent } from '../live.ts';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/words.tsx';
import { addressOf, Link } from '../router.tsx';
import { useAnswer } from '../use-answer.ts';

const pageSize = 20;

const changesQueue = ({ type }: PublicEvent) =>
  type.startsWith('run-') || type === 'submission-accepted';

/** What waits for a validator, in the order in which it is given out. */
export function Queue() {
  const [offset, setOffset] = useState(0);
  const path = `/v1/public/evaluations/pending?limit=${pageSize}&offset=${offset}`;
  const pending = useAnswer<PendingEvaluations>(path, { on: changesQueue });
  return (
    <Loaded answer={pending} what="the queue">
      {(told) => <Waiting pending={told} offset={offset} onOffset={setOffset} />}
    </Loaded>
  );
}

const columns: readonly Column<PendingEvaluations['items'][number]>[] = [
  { title: 'Place', isNumber: true, cell: (each) => countText(each.position) },
  {
    title: 'Agent',
    isHead: true,
    cell: (each) => (
      <Link to={addressOf('version', each.agent_version_id)}>
        {each.agent_name} v{each.version_number}
      </Link>
    ),
  },
  { title: 'Done', cell: (each) => `${each.completed_successes} of ${each.required_successes}` },
  { title: 'Starts', cell: (each) => <When at={each.expected_start_at} /> },
  { title: 'Held up by', isMinor: true, cell: heldUpBy },
];

function heldUpBy({ blocked_reason: reason }: PendingEvaluations['items'][number]): string {
  return reason === null ? '–' : explained('blocked_reason', reason);
}

function Waiting({
  pending: { items, summary, total },
  offset,
  onOffset,
}: {
  readonly pending: PendingEvaluations;
  readonly offset: number;
  readonly onOffset: (offset: number) => void;
}) {
  if (total === 0) {
    return (
      <Empty>Nothing waits. What miners submit is listed here until validators took it.</Empty>
    );
  }
  return (
    <>
      <p>
        Work that waits: {countText(summary.total_pending)}. Runs that it needs:{' '}
        {countText(summary.total_runs_needed)}. Under way: {countText(summary.total_runs_active)}.
      </p>
      {items.length === 0 ? (
        <Empty>The queue has become shorter, and ends before this part.</Empty>
      ) : (
        <Table
          caption="The next in the queue"
          isCaptionHidden
          columns={columns}
          rows={items}
          keyOf={(each) => `${each.agent_version_id} ${each.phase} ${each.race_id}`}
        />
      )}
      {total > pageSize && (
        <p class="bar">
          <button
            type="button"
            disabled={offset === 0}
            onClick={() => onOffset(Math.max(0, offset - pageSize))}
          >
            Before these
          </button>
          <button
            type="button"
            disabled={offset + pageSize >= total}
            onClick={() => onOffset(offset + pageSize)}
          >
            After these
          </button>
        </p>
      )}
    </>
  );
}
