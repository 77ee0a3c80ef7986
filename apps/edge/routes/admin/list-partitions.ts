import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { listMembers, listPartitions as readPartitions } from '../../reads/operator.ts';
import { formatInstant, instant } from '../../wire/instant.ts';

export const listPartitions = endpoint({
  method: 'get',
  path: '/v1/admin/partitions',
  role: 'operator',
  summary: 'Say which process owns which partition',
  trafficClass: 1,
  response: z.object({
    partitions: z.array(
      z.object({
        kind: z.string(),
        part: z.number().int(),
        epoch: z.number().int(),
        owner: z.string().nullable(),
        is_owner_live: z.boolean(),
      }),
    ),
    members: z.array(
      z.object({
        member_id: z.string(),
        is_live: z.boolean(),
        is_draining: z.boolean(),
        joined_at: instant,
        partition_count: z.number().int(),
      }),
    ),
  }),
  faults: ['STORE_UNAVAILABLE'],

  async handle(_request, { sql }) {
    const [partitions, members] = await Promise.all([readPartitions(sql), listMembers(sql)]);
    return {
      partitions: partitions.map(({ isOwnerLive, ...row }) => ({
        ...row,
        is_owner_live: isOwnerLive,
      })),
      members: members.map((member) => ({
        member_id: member.memberId,
        is_live: member.isLive,
        is_draining: member.isDraining,
        joined_at: formatInstant(member.joinedAt),
        partition_count: member.partitionCount,
      })),
    };
  },
});
