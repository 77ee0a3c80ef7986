import { endpoint } from '../../endpoint.ts';
import { order } from '../../operator/order.ts';
import { policyAnswer } from '../../operator/policy-answer.ts';
import {
  changesSomething,
  policyChangesIn,
  policyOut,
  toPolicyChanges,
} from '../../wire/policy.ts';
import { reason } from '../../wire/reason.ts';

export const changePolicy = endpoint({
  method: 'patch',
  path: '/v1/admin/policy',
  role: 'operator',
  summary: 'Change rules from the next race on; null takes a change back',
  trafficClass: 1,
  body: policyChangesIn.extend({ reason }).refine(changesSomething, 'must change something'),
  response: policyOut,
  faults: ['IDEMPOTENCY_CONFLICT', 'STORE_UNAVAILABLE', 'OWNER_UNAVAILABLE', 'OUTCOME_UNKNOWN'],

  async handle({ caller, body, context }, deps) {
    const request = { changes: toPolicyChanges(body), reason: body.reason ?? null };
    const by = { caller, context };
    const { policyVersion } = await order(deps.bus, by, { type: 'change-policy', body: request });
    return await policyAnswer(deps, policyVersion);
  },
});
