import type { GetAdminStuckAnswer } from '../../../../cli/client/paddock.generated.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { When } from '../../parts/words.tsx';
import { useAnswer } from '../../use-answer.ts';

/** What waits without an owner or past its deadline; it should be nothing. */
export function Stuck({ token }: { readonly token: string }) {
  const answer = useAnswer<GetAdminStuckAnswer>('/v1/admin/stuck', { token, everyMs: 15_000 });
  return (
    <Loaded answer={answer} what="what is stuck">
      {({ stuck, total, may_be_more: mayBeMore, unknown_kinds: unknown = [], checked_at: at }) =>
        // An edge of the release before says neither.
        total === 0 && mayBeMore !== true ? (
          <Empty>
            Nothing is stuck, as of <When at={at} />, and there is nothing to do.
          </Empty>
        ) : (
          <Table
            caption={captionOf(total, mayBeMore === true, unknown)}
            columns={[
              { title: 'Record', isHead: true, cell: (each) => `${each.kind} ${each.id}` },
              { title: 'State', cell: (each) => each.state },
              { title: 'Why', cell: (each) => each.why },
              { title: 'Owner', cell: (each) => each.owner ?? 'none' },
              { title: 'Since', cell: (each) => <When at={each.since} /> },
              { title: 'Deadline', cell: (each) => <When at={each.deadline} /> },
            ]}
            rows={stuck}
            keyOf={(each) => `${each.kind} ${each.id}`}
          />
        )
      }
    </Loaded>
  );
}

function captionOf(total: number, mayBeMore: boolean, unknown: readonly string[]): string {
  const records = `${mayBeMore ? `At least ${total}` : total} records are stuck`;
  return unknown.length === 0
    ? records
    : `${records}; none of kind ${unknown.join(' or ')} could be looked at`;
}
