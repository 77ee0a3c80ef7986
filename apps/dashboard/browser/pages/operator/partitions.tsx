import type { GetAdminPartitionsAnswer } from '../../../../cli/client/paddock.generated.ts';
import { Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { State, When } from '../../parts/words.tsx';
import { useAnswer } from '../../use-answer.ts';

/** Who decides for what, as the database has it. */
export function Partitions({ token }: { readonly token: string }) {
  const answer = useAnswer<GetAdminPartitionsAnswer>('/v1/admin/partitions', {
    token,
    everyMs: 10_000,
  });
  return (
    <Loaded answer={answer} what="the partitions">
      {({ partitions, members }) => (
        <>
          <Table
            caption="Processes that own partitions"
            columns={[
              { title: 'Process', isHead: true, cell: (each) => each.member_id },
              { title: 'State', cell: memberState },
              { title: 'Partitions', isNumber: true, cell: (each) => each.partition_count },
              { title: 'Since', cell: (each) => <When at={each.joined_at} /> },
            ]}
            rows={members}
            keyOf={(each) => each.member_id}
          />
          <Table
            caption="Partitions and their owners"
            columns={[
              { title: 'Partition', isHead: true, cell: (each) => `${each.kind} ${each.part}` },
              { title: 'Owner', cell: (each) => each.owner ?? 'none' },
              {
                title: 'State',
                cell: (each) => (
                  <State
                    of={each.is_owner_live ? 'active' : 'offline'}
                    text={each.is_owner_live ? 'owned' : 'without owner'}
                  />
                ),
              },
              { title: 'Epoch', isNumber: true, cell: (each) => each.epoch },
            ]}
            rows={partitions}
            keyOf={(each) => `${each.kind} ${each.part}`}
          />
        </>
      )}
    </Loaded>
  );
}

function memberState(member: GetAdminPartitionsAnswer['members'][number]) {
  if (!member.is_live) return <State of="offline" text="gone" />;
  return member.is_draining ? (
    <State of="idle" text="draining" />
  ) : (
    <State of="active" text="live" />
  );
}
