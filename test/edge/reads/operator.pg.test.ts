import test from 'ava';
import { listMembers, listPartitions, readOverview } from '../../../apps/edge/reads/operator.ts';
import { testDatabase } from '../../support/cluster.ts';

test('who was started again serves nothing that it held before', async (t) => {
  const { sql } = await testDatabase(t);
  await sql`
    insert into rt.member (member_id, incarnation, lease_until, code_version, kinds, joined_at)
    values ('one', gen_random_uuid(), rt.wall_clock() + interval '1 hour', 1, '{eval}',
            rt.wall_clock())`;
  await sql`update rt.partition set owner = 'one', incarnation = gen_random_uuid(), epoch = 1`;
  const told = async () => {
    const partitions = await listPartitions(sql);
    const [member] = await listMembers(sql);
    const served = partitions.filter(({ isOwnerLive }) => isOwnerLive).length;
    const { partitionsWithoutOwner } = await readOverview(sql);
    return { all: partitions.length, served, partitionsWithoutOwner, of: member?.partitionCount };
  };
  const { all, ...before } = await told();
  t.deepEqual(before, { served: 0, partitionsWithoutOwner: all, of: 0 });

  await sql`
    update rt.partition p set incarnation = m.incarnation from rt.member m
    where p.kind = 'eval' and p.part < 3`;
  t.deepEqual(await told(), { all, served: 3, partitionsWithoutOwner: all - 3, of: 3 });
});
