import { z } from 'zod';
import { storableJson } from '../../../../machines/storable-json.ts';
import { endpoint } from '../../endpoint.ts';
import { askOwner } from '../../evaluation/owner.ts';
import { hostReport } from '../../wire/host-report.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { uuid } from '../../wire/uuid.ts';

export const sendHeartbeat = endpoint({
  method: 'post',
  path: '/v1/validator/evaluation-runs/{eval_run_id}/heartbeat',
  role: 'validator',
  owner: 'run',
  summary: 'Keep the lease of a live run',
  trafficClass: 0,
  isHeardInOutage: true,
  params: z.object({ eval_run_id: uuid }),
  body: hostReport,
  mend: storableJson,
  response: z.object({
    lease_expires_at: instant.meta({
      description:
        'Without another heartbeat. However often it beats, a run ends NO_PROGRESS_SECONDS (an hour) after its last new result or report of progress, and RUN_LIMIT_SECONDS (two hours) after its claim.',
    }),
  }),
  faults: ['EVAL_RUN_NOT_FOUND', 'NOT_RUN_OWNER', 'LEASE_EXPIRED', 'RUN_ALREADY_COMPLETE'],

  async handle({ caller, params, body, context }, { bus, runs, presence }) {
    const { part, agentVersionId } = await runs.locate(params.eval_run_id);
    const { leaseExpiresAt } = await askOwner(bus, {
      type: 'heartbeat',
      part,
      id: context.commandId,
      account: caller.name,
      body: { agentVersionId, evalRunId: params.eval_run_id, validatorHotkey: caller.name },
    });
    presence.seen(caller.name, body);
    return { lease_expires_at: formatInstant(leaseExpiresAt) };
  },
});
