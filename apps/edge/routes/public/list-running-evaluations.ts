import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { runningEvaluations } from '../../reads/evaluations.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { runStatus } from '../../wire/run-record.ts';
import { uuidOut } from '../../wire/uuid.ts';

const running = z
  .object({
    eval_run_id: uuidOut,
    agent_version_id: uuidOut,
    agent_name: z.string(),
    version_number: z.number().int(),
    miner_hotkey: z.string(),
    validator_hotkey: z.string(),
    suite_id: z.number().int(),
    phase: z.string(),
    race_id: uuidOut.nullable(),
    status: runStatus,
    started_at: instant,
    lease_expires_at: instant,
    progress: z.object({ done: z.number().int(), total: z.number().int() }),
  })
  .meta({ id: 'RunningEvaluation' });

export const listRunningEvaluations = endpoint({
  method: 'get',
  path: '/v1/public/evaluations/running',
  role: 'public',
  owner: 'nobody',
  summary: 'Runs that are claimed or running now, oldest first',
  trafficClass: 2,
  cache: liveRead,
  response: z.array(running),
  faults: [],

  async handle(_request, { sql }) {
    return (await runningEvaluations(sql)).map((row) => ({
      eval_run_id: row.evalRunId,
      agent_version_id: row.agentVersionId,
      agent_name: row.agentName,
      version_number: row.versionNumber,
      miner_hotkey: row.minerHotkey,
      validator_hotkey: row.validatorHotkey,
      suite_id: row.suiteId,
      phase: row.phase,
      race_id: row.raceId,
      status: runStatus.parse(row.status),
      started_at: formatInstant(row.startedAt),
      lease_expires_at: formatInstant(row.leaseExpiresAt),
      progress: { done: row.done, total: row.total },
    }));
  },
});
