import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { readOverview } from '../../reads/operator.ts';
import { formatInstantOrNull, instant } from '../../wire/instant.ts';

const count = z.number().int();

export const showOverview = endpoint({
  method: 'get',
  path: '/v1/admin/overview',
  role: 'operator',
  summary: 'Count what is open, live, waiting and stuck',
  trafficClass: 1,
  response: z.object({
    active_suite_id: count.nullable(),
    open_work_items: count,
    live_runs: count,
    waiting_versions: count,
    banned_hotkeys: count,
    validators_active: count,
    outbox_pending: count,
    outbox_oldest_at: instant.nullable(),
    parked_messages: count,
    partitions_without_owner: count,
  }),
  faults: ['STORE_UNAVAILABLE'],

  async handle(_request, { sql }) {
    const overview = await readOverview(sql);
    return {
      active_suite_id: overview.activeSuiteId,
      open_work_items: overview.openWorkItems,
      live_runs: overview.liveRuns,
      waiting_versions: overview.waitingVersions,
      banned_hotkeys: overview.bannedHotkeys,
      validators_active: overview.validatorsActive,
      outbox_pending: overview.outboxPending,
      outbox_oldest_at: formatInstantOrNull(overview.outboxOldestAt),
      parked_messages: overview.parkedMessages,
      partitions_without_owner: overview.partitionsWithoutOwner,
    };
  },
});
