import type { FaultCode } from './fault.ts';
import { type FaultText, sendAgain } from './fault-text.ts';

/** The words of what only operators can be refused. */
export const operatorFaultTexts = {
  ACTOR_NOT_FOUND: {
    says: 'There is no such live process.',
    next: 'Take its id from GET /v1/admin/partitions.',
    again: 'changed',
  },
  CLOCK_IS_REAL: {
    says: 'The clock of this service is the real one.',
    next: 'Start a service with a simulated clock to move it.',
    again: 'no',
  },
  LAST_ACTOR: {
    says: 'No other process could take over its partitions.',
    next: 'Start another one first.',
    again: 'later',
  },
  NOT_RESENDABLE: {
    says: 'Who sent the message was not kept when it was parked.',
    next: 'Drop it instead.',
    again: 'no',
  },
  NO_TASK_HELD_OUT: {
    says: 'Other suites show all tasks that this one would hold out for its races.',
    next: 'Choose other tasks, or a pack with more of them.',
    again: 'changed',
  },
  ORDER_DROPPED: {
    says: 'The order failed too often, and an operator dropped its message: it never will be carried out.',
    next: 'If it is still wanted, give it as a new order under a new Idempotency-Key.',
    again: 'no',
  },
  ORDER_PARKED: {
    says: 'The order failed too often and is set aside as a parked message: it is not carried out.',
    next: 'Repair the cause, then use paddock operator resend-message; or drop-message ends it.',
    again: 'later',
  },
  PARKED_MESSAGE_NOT_FOUND: {
    says: 'There is no such parked message, or not any more.',
    next: 'Take its id from GET /v1/admin/parked-messages.',
    again: 'changed',
  },
  RACE_OVER: {
    says: 'The race is over.',
    next: 'Leave it as it is; what it came to stands.',
    again: 'no',
  },
  REJUDGING_NOT_FOUND: {
    says: 'There is no such rejudging.',
    next: 'Take its id from GET /v1/admin/rejudgings.',
    again: 'changed',
  },
  REJUDGING_NOT_READY: {
    says: 'Some of its runs are not judged again yet.',
    next: 'Wait until its status is READY.',
    again: 'later',
  },
  REJUDGING_OVER: {
    says: 'This rejudging was applied or cancelled before.',
    next: 'Open another one if runs are to be judged again.',
    again: 'no',
  },
  RUN_NOT_INCLUDABLE: {
    says: 'This success cannot count: its work was cancelled, it is a rejudging, or a run counts in its place.',
    next: 'Exclude what counts in its place first, where there is such a run.',
    again: 'later',
  },
  RUN_NOT_LIVE: {
    says: 'The run has ended; run_status says how.',
    next: 'Reclaim live runs only.',
    again: 'no',
  },
  RUN_NOT_SUCCESSFUL: {
    says: 'Only a success counts or is left out; run_status says how the run ended.',
    next: 'Leave it as it is.',
    again: 'no',
  },
  RUN_STILL_LIVE: {
    says: 'The run has not ended yet.',
    next: 'Wait for its end, or reclaim it first.',
    again: 'later',
  },
  TASK_HELD_OUT: {
    says: 'A suite that has races holds the task out, and a roster is public at once.',
    next: 'Choose other tasks.',
    again: 'changed',
  },
  TRACES_UNAVAILABLE: {
    says: 'Whoever keeps the last traces cannot be reached right now.',
    next: sendAgain,
    again: 'soon',
  },
  TRACE_NOT_FOUND: {
    says: 'No such trace is kept, or not any more.',
    next: 'Take its id from GET /v1/admin/traces.',
    again: 'changed',
  },
  WEBHOOK_NOT_FOUND: {
    says: 'There is no such webhook.',
    next: 'Take its id from GET /v1/admin/webhooks.',
    again: 'changed',
  },
} as const satisfies Partial<Record<FaultCode, FaultText>>;
