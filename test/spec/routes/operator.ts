import {
  auditLog,
  ban,
  clock,
  clockAdvance,
  credentialKeys,
  keptPack,
  orderedMessage,
  orderedRun,
  orderedVersion,
  overview,
  parkedMessages,
  partitions,
  policy,
  registration,
  trace,
  traces,
  unban,
  unregistration,
} from '../answers/operator.ts';
import { race } from '../answers/races.ts';
import { similarities, similarity } from '../answers/similarity.ts';
import { suite } from '../answers/suites.ts';
import { contract, decision } from '../place.ts';
import {
  type Field,
  type Fields,
  optionalText,
  type RouteRows,
  string,
  uuid,
} from './route-row.ts';

const con = { place: contract('7'), auth: 'operator' } as const;
const order = { ...con, method: 'POST', isRepeatable: true } as const;
const look = { ...con, method: 'GET' } as const;
const optionalReason = { body: { reason: optionalText }, isBodyOptional: true } as const;
/** Required for ban, discard, exclude and cancel. */
const requiredReason = { body: { reason: string } } as const;
const hotkey = { params: { hotkey: string } } as const;
const ofRace = { params: { race_id: uuid }, answer: race } as const;
const ofVersion = { params: { agent_version_id: uuid }, answer: orderedVersion } as const;
const ofRun = { params: { eval_run_id: uuid }, answer: orderedRun } as const;
const share: Field = { type: 'number', min: 0, max: 1, optional: true };
const count: Field = { type: 'integer', min: 1, optional: true };
const some: Field = { type: 'list', optional: true };
const rejudging = { params: { rejudging_id: uuid }, answer: 'open' } as const;
const page: Fields = {
  limit: { type: 'integer', min: 1, max: 500, default: 100, optional: true },
  offset: { type: 'integer', min: 0, default: 0, optional: true },
};
const webhooks = {
  ...order,
  place: contract('8'),
  path: '/v1/admin/webhooks',
  answer: 'open',
} as const;
const webhook = {
  ...webhooks,
  path: '/v1/admin/webhooks/{webhook_id}',
  params: { webhook_id: uuid },
  refusals: ['WEBHOOK_NOT_FOUND'],
} as const;

const parked = {
  place: decision('0042, a parked message is sent again'),
  params: { msg_id: string },
  answer: orderedMessage,
  refusals: ['PARKED_MESSAGE_NOT_FOUND'],
} as const;

/** Contract 7 and 8. */
export const operatorRoutes = {
  'CON-7-UPLOAD_PACK': {
    ...order,
    path: '/v1/admin/packs',
    query: { reason: { type: 'string', optional: true } },
    bodyType: 'application/gzip',
    answer: keptPack,
  },
  'CON-7-CREATE_SUITE': {
    ...order,
    path: '/v1/admin/suites',
    body: {
      benchmark_name: string,
      benchmark_number: { type: 'integer' },
      execution_kind: { type: 'string', words: 'SPEC-EXECUTION_KIND' },
      env_pack_sha256: { type: 'sha256', optional: true, nullable: true },
      qualifying_task_ids: some,
      problems: some,
      race_problems: some,
      qualifying_threshold: share,
      required_successes_qualifying: count,
      required_successes_race: count,
      reason: optionalText,
    },
    answer: suite,
  },
  'CON-7-ACTIVATE_SUITE': {
    ...order,
    path: '/v1/admin/suites/{suite_id}/activate',
    params: { suite_id: { type: 'integer' } },
    ...optionalReason,
    answer: suite,
  },
  'CON-7-REGISTER': {
    ...order,
    method: 'PUT',
    path: '/v1/admin/chain/registrations/{hotkey}',
    ...hotkey,
    body: {
      role: { type: 'string', words: 'CON-2-ROLE' },
      stake: { type: 'integer', min: 0, optional: true },
      coldkey: { type: 'string', optional: true },
      uid: { type: 'integer', min: 0, optional: true },
      reason: optionalText,
    },
    answer: registration,
  },
  'CON-7-UNREGISTER': {
    ...order,
    method: 'DELETE',
    path: '/v1/admin/chain/registrations/{hotkey}',
    ...hotkey,
    ...optionalReason,
    answer: unregistration,
  },
  'CON-7-BAN': {
    ...order,
    method: 'PUT',
    path: '/v1/admin/hotkeys/{hotkey}/ban',
    ...hotkey,
    ...requiredReason,
    answer: ban,
  },
  'CON-7-UNBAN': {
    ...order,
    method: 'DELETE',
    path: '/v1/admin/hotkeys/{hotkey}/ban',
    ...hotkey,
    ...optionalReason,
    answer: unban,
  },
  'CON-7-CLOSE': {
    ...order,
    path: '/v1/admin/races/{race_id}/close-qualifying',
    ...ofRace,
    ...optionalReason,
  },
  'CON-7-START': {
    ...order,
    path: '/v1/admin/races/{race_id}/start',
    ...ofRace,
    ...optionalReason,
  },
  'CON-7-CANCEL': {
    ...order,
    path: '/v1/admin/races/{race_id}/cancel',
    ...ofRace,
    ...requiredReason,
  },
  'CON-7-DISCARD': {
    ...order,
    path: '/v1/admin/agent-versions/{agent_version_id}/discard',
    ...ofVersion,
    ...requiredReason,
  },
  'CON-7-REINSTATE': {
    ...order,
    path: '/v1/admin/agent-versions/{agent_version_id}/reinstate',
    ...ofVersion,
    ...optionalReason,
  },
  'CON-7-EXCLUDE': {
    ...order,
    path: '/v1/admin/evaluation-runs/{eval_run_id}/exclude',
    ...ofRun,
    ...requiredReason,
  },
  'CON-7-INCLUDE': {
    ...order,
    path: '/v1/admin/evaluation-runs/{eval_run_id}/include',
    ...ofRun,
    ...optionalReason,
  },
  'CON-7-RECLAIM': {
    ...order,
    path: '/v1/admin/evaluation-runs/{eval_run_id}/reclaim',
    ...ofRun,
    ...optionalReason,
  },
  'CON-7-REJUDGE': { ...order, path: '/v1/admin/rejudgings', answer: 'open' },
  'OWN-REJUDGINGS': {
    ...look,
    place: decision('0022, rejudging'),
    path: '/v1/admin/rejudgings',
    query: page,
    answer: 'open',
  },
  'CON-7-REJUDGING': { ...look, path: '/v1/admin/rejudgings/{rejudging_id}', ...rejudging },
  'CON-7-REJUDGING_APPLY': {
    ...order,
    path: '/v1/admin/rejudgings/{rejudging_id}/apply',
    ...rejudging,
    ...optionalReason,
  },
  'CON-7-REJUDGING_CANCEL': {
    ...order,
    path: '/v1/admin/rejudgings/{rejudging_id}/cancel',
    ...rejudging,
    ...requiredReason,
  },
  'CON-7-POLICY': { ...look, path: '/v1/admin/policy', answer: policy },
  'CON-7-CHANGE_POLICY': {
    ...order,
    method: 'PATCH',
    path: '/v1/admin/policy',
    body: {
      qualifying_threshold: share,
      margin_initial: share,
      margin_half_life_days: { type: 'number', optional: true },
      margin_floor: share,
      emission_baseline_burn_rate: share,
      required_successes_qualifying: count,
      required_successes_race: count,
      elimination_share: share,
      race_tasks: count,
      race_limit_seconds: count,
      score_window_races: count,
      reason: optionalText,
    },
    answer: policy,
  },
  'CON-7-STUCK': { ...look, path: '/v1/admin/stuck', answer: 'open' },
  'CON-7-AUDIT': { ...look, path: '/v1/admin/audit-log', query: page, answer: auditLog },
  'CON-7-OVERVIEW': { ...look, path: '/v1/admin/overview', answer: overview },
  'CON-7-PARTITIONS': { ...look, path: '/v1/admin/partitions', answer: partitions },
  'CON-7-DRAIN': {
    ...order,
    path: '/v1/admin/actors/{id}/drain',
    params: { id: string },
    ...optionalReason,
    answer: 'open',
  },
  'CON-7-ADVANCE': {
    ...order,
    path: '/v1/admin/clock/advance',
    body: { seconds: { type: 'integer', min: 1 }, reason: optionalText },
    answer: clockAdvance,
  },
  'CON-8-WEBHOOKS': { ...webhooks, method: 'GET', isRepeatable: false },
  'CON-8-ADD_WEBHOOK': {
    ...webhooks,
    body: {
      url: string,
      event_types: some,
      secret: { type: 'string', optional: true },
      reason: optionalText,
    },
  },
  'CON-8-WEBHOOK': { ...webhook, method: 'GET', isRepeatable: false },
  'CON-8-REMOVE_WEBHOOK': { ...webhook, method: 'DELETE', ...optionalReason },
  'CON-8-REPLAY': {
    ...webhook,
    path: '/v1/admin/webhooks/{webhook_id}/replay',
    body: { cursor: { type: 'integer', min: 0 }, reason: optionalText },
  },
  'OWN-CREDENTIAL_KEYS': {
    ...look,
    place: decision('0031, keys that are rotated under traffic'),
    path: '/v1/admin/credential-keys',
    answer: credentialKeys,
  },
  'OWN-PARKED_MESSAGES': {
    ...look,
    place: parked.place,
    path: '/v1/admin/parked-messages',
    query: page,
    answer: parkedMessages,
  },
  'OWN-RESEND_MESSAGE': {
    ...order,
    ...parked,
    path: '/v1/admin/parked-messages/{msg_id}/resend',
    ...optionalReason,
    refusals: ['PARKED_MESSAGE_NOT_FOUND', 'NOT_RESENDABLE'],
  },
  'OWN-DROP_MESSAGE': {
    ...order,
    ...parked,
    path: '/v1/admin/parked-messages/{msg_id}/drop',
    ...requiredReason,
  },
  'OWN-TRACES': {
    ...look,
    place: decision('0056, the last traces in the world'),
    path: '/v1/admin/traces',
    query: {
      ...page,
      route: { type: 'string', optional: true },
      outcome: { type: 'string', words: 'OWN-TRACE_OUTCOME', optional: true },
      text: { type: 'string', optional: true },
      order: { type: 'string', words: 'OWN-TRACE_ORDER', optional: true, default: 'newest' },
    },
    answer: traces,
  },
  'OWN-TRACE': {
    ...look,
    place: decision('0056, the last traces in the world'),
    path: '/v1/admin/traces/{trace_id}',
    params: { trace_id: string },
    answer: trace,
    refusals: ['TRACE_NOT_FOUND'],
  },
  'OWN-SIMILARITY': {
    ...look,
    place: decision('0030, similar files'),
    path: '/v1/admin/agent-versions/{agent_version_id}/similarity',
    params: { agent_version_id: uuid },
    answer: similarity,
    refusals: ['AGENT_VERSION_NOT_FOUND'],
  },
  'OWN-SIMILARITIES': {
    ...look,
    place: decision('0030, similar files'),
    path: '/v1/admin/similarity',
    query: {
      ...page,
      verdict: { type: 'string', words: 'OWN-SIMILARITY', optional: true },
    },
    answer: similarities,
  },
  'OWN-CLOCK': {
    ...look,
    place: decision('0016, a simulated clock that flows'),
    path: '/v1/admin/clock',
    answer: clock,
  },
} as const satisfies RouteRows;
