import { useState } from 'preact/hooks';
import type { GetAdminAuditLogAnswer } from '../../../../cli/client/paddock.generated.ts';
import { countText } from '../../format.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { When } from '../../parts/words.tsx';
import { useAnswer } from '../../use-answer.ts';

const pageSize = 50;

/** What operators did, newest first. */
export function AuditLog({ token }: { readonly token: string }) {
  const [offset, setOffset] = useState(0);
  const path = `/v1/admin/audit-log?limit=${pageSize}&offset=${offset}`;
  const answer = useAnswer<GetAdminAuditLogAnswer>(path, { token });
  return (
    <Loaded answer={answer} what="the audit log">
      {({ entries, total }) =>
        entries.length === 0 ? (
          <Empty>No operator has ordered anything yet. Every order is listed here, and why.</Empty>
        ) : (
          <>
            <Table
              caption={`What operators did, newest first: ${countText(total)} entries`}
              columns={[
                { title: 'No.', isNumber: true, isHead: true, cell: (each) => each.seq },
                { title: 'When', cell: (each) => <When at={each.committed_at} /> },
                { title: 'Who', cell: (each) => each.actor },
                { title: 'What', cell: (each) => each.action },
                { title: 'On what', cell: (each) => <code>{each.object}</code> },
                { title: 'Why', cell: (each) => each.reason ?? '–' },
                {
                  title: 'Hash',
                  cell: (each) => <code title={each.hash}>{each.hash.slice(0, 10)}</code>,
                },
              ]}
              rows={entries}
              keyOf={(each) => each.seq}
            />
            <p class="bar">
              <button
                type="button"
                disabled={offset === 0}
                onClick={() => setOffset(offset - pageSize)}
              >
                Newer
              </button>
              <button
                type="button"
                disabled={offset + pageSize >= total}
                onClick={() => setOffset(offset + pageSize)}
              >
                Older
              </button>
            </p>
          </>
        )
      }
    </Loaded>
  );
}
