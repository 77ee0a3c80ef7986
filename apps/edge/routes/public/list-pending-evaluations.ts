import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { expectedStart, obstacleOf } from '../../expected-start.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { pendingEvaluations, pendingSummary } from '../../reads/evaluations.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { pageQuery } from '../../wire/page.ts';
import { reasonField } from '../../wire/reason-field.ts';
import { uuidOut } from '../../wire/uuid.ts';

const pending = z
  .object({
    items: z.array(
      z.object({
        agent_version_id: uuidOut,
        agent_name: z.string(),
        version_number: z.number().int(),
        miner_hotkey: z.string(),
        queued_at: instant,
        phase: z.string(),
        race_id: uuidOut.nullable(),
        completed_successes: z.number().int(),
        required_successes: z.number().int(),
        position: z.number().int(),
        expected_start_at: instant.nullable(),
        blocked_reason: reasonField(
          'blocked_reason',
          'Why nobody takes it in its turn',
          'or a sentence',
        ),
      }),
    ),
    summary: z.object({
      total_pending: z.number().int(),
      total_runs_needed: z.number().int(),
      total_runs_active: z.number().int(),
    }),
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
  })
  .meta({ id: 'PendingEvaluations' });

export const listPendingEvaluations = endpoint({
  method: 'get',
  path: '/v1/public/evaluations/pending',
  role: 'public',
  owner: 'nobody',
  summary: 'Work that still needs runs, in the order in which it is handed out',
  trafficClass: 2,
  cache: liveRead,
  query: z.object(pageQuery({ limitMax: 500, limitDefault: 100 })),
  response: pending,
  faults: [],

  async handle({ query }, { sql, pace }) {
    const [rows, summary, throughput] = await Promise.all([
      pendingEvaluations(sql, query),
      pendingSummary(sql),
      pace.throughput(),
    ]);
    return {
      items: rows.map((row) => ({
        agent_version_id: row.agentVersionId,
        agent_name: row.agentName,
        version_number: row.versionNumber,
        miner_hotkey: row.minerHotkey,
        queued_at: formatInstant(row.queuedAt),
        phase: row.phase,
        race_id: row.raceId,
        completed_successes: row.completedSuccesses,
        required_successes: row.requiredSuccesses,
        position: row.position,
        expected_start_at: expectedStart(row, throughput),
        blocked_reason: row.holdReason ?? obstacleOf(row, throughput),
      })),
      summary: {
        total_pending: summary.totalPending,
        total_runs_needed: summary.totalRunsNeeded,
        total_runs_active: summary.totalRunsActive,
      },
      total: summary.totalPending,
      limit: query.limit,
      offset: query.offset,
    };
  },
});
