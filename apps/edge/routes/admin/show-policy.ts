import { endpoint } from '../../endpoint.ts';
import { policyAnswer } from '../../operator/policy-answer.ts';
import { policyOut } from '../../wire/policy.ts';

export const showPolicy = endpoint({
  method: 'get',
  path: '/v1/admin/policy',
  role: 'operator',
  summary: 'Show the rules that the next race opens under, and who changed what',
  trafficClass: 1,
  response: policyOut,
  faults: ['STORE_UNAVAILABLE'],

  handle: (_request, deps) => policyAnswer(deps),
});
