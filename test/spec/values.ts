import { contract, decision, type Place, specification } from './place.ts';

export interface ValueList {
  readonly place: Place;
  readonly values: readonly string[];
}

/** The closed lists of words: a request may say no other, an answer never does. */
export const valueLists = {
  'CON-3-VERSION_STATE': {
    place: contract('3, Agent version state'),
    values: ['RECEIVED', 'QUEUED', 'RUNNING', 'ELIGIBLE', 'DISCARDED', 'CANCELLED'],
  },
  'CON-3-RUN_STATUS': {
    place: contract('3, Evaluation run status'),
    values: ['CLAIMED', 'RUNNING', 'SUCCESS', 'FAILED', 'TIMED_OUT', 'STALE', 'CANCELLED'],
  },
  'CON-3-TERMINAL_STATUS': {
    place: contract('3, terminal_status in complete'),
    values: ['SUCCESS', 'FAILED', 'TIMED_OUT'],
  },
  // PENDING is also what is shown for work that nobody holds: such work has problems, but no run.
  'CON-3-PROBLEM_STATUS': {
    place: contract('3, Problem status'),
    values: ['PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'SKIPPED', 'TIMED_OUT'],
  },
  'CON-3-RACE_STATUS': {
    place: contract('3, Race status'),
    values: [
      'QUALIFYING_OPEN',
      'QUALIFYING_CLOSED',
      'RACE_RUNNING',
      'RACE_COMPLETE',
      'RACE_CANCELLED',
    ],
  },
  'CON-3-PHASE': { place: contract('3, Phase'), values: ['QUALIFYING', 'RACE'] },
  'CON-3-ADMISSION': { place: contract('3, Admission'), values: ['ACCEPTED', 'REJECTED'] },
  'CON-3-ADMISSION_REASON': {
    place: contract('3, Admission'),
    values: ['COOLDOWN', 'CODE_ANALYSIS', 'INVALID_FILE', 'NO_ACTIVE_SUITE'],
  },
  'CON-3-OUTCOME': {
    place: contract('3, Episode outcome'),
    values: [
      'completed',
      'partial',
      'agent_error',
      'environment_error',
      'verifier_error',
      'leakage',
      'exploit',
    ],
  },
  'CON-3-VERDICT': {
    place: contract('3, verdict_status'),
    values: ['passed', 'failed', 'unknown'],
  },
  'CON-3-ITEM_KIND': { place: contract('3, item_kind'), values: ['legacy_problem', 'episode'] },
  'CON-3-ARTIFACT_TYPE': {
    place: contract('3, Artifact type'),
    values: ['AGENT_CODE', 'EVAL_LOGS_BUNDLE', 'EVAL_PROBLEM_LOGS', 'EPISODE'],
  },
  'CON-3-QUALIFICATION': {
    place: contract('3, qualification_type'),
    values: ['PINNED', 'QUALIFIED', 'SURVIVOR', 'INCUMBENT_TOP'],
  },
  'CON-3-PIN_REASON': {
    place: contract('3, fallback / pin reasons'),
    values: ['eliminated', 'below_threshold', 'not_eligible', 'discarded', 'superseded_suite'],
  },
  'CON-3-SCORE_TYPE': { place: contract('3, score_type'), values: ['qualifying', 'race'] },
  'CON-3-DELIVERY_SCOPE': { place: contract('3, delivery_scope'), values: ['qualifying', 'race'] },
  'CON-3-FAULT_CLASS': {
    place: contract('3, Fault class of a failed run'),
    values: ['AGENT', 'VALIDATOR', 'PROVIDER', 'PLATFORM', 'INTEGRITY', 'UNATTRIBUTED'],
  },
  'SPEC-EXECUTION_KIND': {
    place: specification('Suite, execution_kind'),
    values: ['legacy_benchmark', 'envpack'],
  },
  'CON-2-ROLE': { place: contract('2, role'), values: ['miner', 'validator'] },
  'CON-5-VALIDATOR_STATUS': {
    place: contract('5, Validator'),
    values: ['active', 'idle', 'offline'],
  },
  'CON-5-RELEASE_REASON': { place: contract('5, Public details'), values: ['TOP', 'AGED'] },
  'SPEC-ITEM_STATUS': {
    place: specification('Episode result item, status'),
    values: ['201', '404', '409', '422'],
  },
  'OWN-SIMILARITY': {
    place: decision('0030, similar files'),
    values: ['clean', 'suspicious', 'copy'],
  },
  'OWN-TRACE_OUTCOME': {
    place: decision('0056, the last traces in the world'),
    values: ['done', 'refused', 'failed'],
  },
  'OWN-TRACE_ORDER': {
    place: decision('0056, the last traces in the world'),
    values: ['newest', 'slowest'],
  },
} as const satisfies Readonly<Record<string, ValueList>>;

export type ValueListId = keyof typeof valueLists;
