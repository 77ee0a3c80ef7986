import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { askOwner } from '../../evaluation/owner.ts';
import { uuid } from '../../wire/uuid.ts';

export const releaseRun = endpoint({
  method: 'post',
  path: '/v1/validator/evaluation-runs/{eval_run_id}/release',
  role: 'validator',
  owner: 'run',
  summary: 'Give a live run back; the work is offered again at once and nobody is blamed',
  trafficClass: 0,
  params: z.object({ eval_run_id: uuid }),
  response: z.object({ released: z.literal(true) }),
  faults: ['EVAL_RUN_NOT_FOUND', 'NOT_RUN_OWNER', 'LEASE_EXPIRED', 'RUN_ALREADY_COMPLETE'],

  async handle({ caller, params, context }, { bus, runs }) {
    const { part, agentVersionId } = await runs.locate(params.eval_run_id);
    return await askOwner(bus, {
      type: 'release-run',
      part,
      id: context.commandId,
      account: caller.name,
      body: { agentVersionId, evalRunId: params.eval_run_id, validatorHotkey: caller.name },
    });
  },
});
