import type { FaultClass } from '../types.ts';
import type {
  DiscardReason,
  ExclusionReason,
  HoldReason,
  JudgingEndReason,
  ReopeningReason,
  RunCancelReason,
  StaleReason,
  VersionCancelReason,
} from './codes.ts';
import type { ReasonText, ReasonTexts } from './reason-text.ts';

const submitAgain =
  'Submit the file again, for the suite of now; paddock agents says when the cooldown allows it.';
const askOperators = 'Ask the operators of this service why.';
const claimAgain = 'A validator stops it and claims work again.';

const validatorBanned: ReasonText = {
  says: 'The validator of this run was banned.',
  next: 'Nothing for the miner: another validator evaluates it where a run is still needed.',
};
const versionDiscarded: ReasonText = {
  says: 'The version was discarded meanwhile.',
  next: 'Its status says why; a validator stops the run and claims work again.',
};
const rejudgingCancelled: ReasonText = {
  says: 'Operators dropped the rejudging that this was for.',
  next: null,
};

export const holdTexts: ReasonTexts<HoldReason> = {
  MINER_BANNED: {
    says: 'The hotkey of its miner is banned, and nothing of it is evaluated until the ban is lifted.',
    next: askOperators,
  },
  REPEATED_FAILURES: {
    says: 'Its last runs fell silent or failed by faults of the platform, so it pauses.',
    next: 'Wait: it is offered again by itself, and nothing of this counts against the agent.',
  },
};

export const exclusionTexts: ReasonTexts<ExclusionReason> = {
  BEYOND_REQUIRED: {
    says: 'As many successes as are needed counted already when this one came.',
    next: null,
  },
  INCOMPLETE: {
    says: 'The validator scored fewer problems than the suite has.',
    next: 'Evaluate all of them; the work is offered again.',
  },
  REJUDGED: {
    says: 'Another run that judged this one again counts in its place.',
    next: null,
  },
  REJUDGING: {
    says: 'It judges another run again, and counts only if operators apply its rejudging.',
    next: null,
  },
  SAME_VALIDATOR: {
    says: 'Another success of the same validator counts already, and one validator counts once.',
    next: null,
  },
  VALIDATOR_BANNED: validatorBanned,
};

export const reopeningTexts: ReasonTexts<ReopeningReason> = {
  ...exclusionTexts,
  VERSION_REINSTATED: {
    says: 'Operators took the discard of the version back, and its evaluation goes on.',
    next: null,
  },
};

/** What a version that is over says of itself. */
export const discardTexts: ReasonTexts<DiscardReason | VersionCancelReason> = {
  AGENT_FAILURES: {
    says: 'Too many evaluations in a row failed by faults of the agent itself.',
    next: 'Mend it and submit a new version; the cooldown was shortened for that.',
  },
  INTEGRITY: {
    says: 'An evaluation found that the agent broke the rules, as by a leaked answer or an exploit.',
    next: 'Submit a new version that solves the tasks itself, once the cooldown is over.',
  },
  SUITE_SUPERSEDED: {
    says: 'Another suite became active before the version was eligible.',
    next: submitAgain,
  },
};

export const runEndTexts: ReasonTexts<RunCancelReason | StaleReason> = {
  LEASE_EXPIRED: {
    says: 'Its validator was not heard of in time, and the work is offered again.',
    next: 'A validator sends heartbeats in time; a miner has nothing to do.',
  },
  MINER_BANNED: {
    says: 'The hotkey of the miner was banned while it ran.',
    next: askOperators,
  },
  NO_PROGRESS: {
    says: 'Its validator sent heartbeats but no progress for too long, and the work is offered again.',
    next: 'A validator reports progress or results in time; a miner has nothing to do.',
  },
  RACE_CANCELLED: {
    says: 'Its race was cancelled while it ran.',
    next: 'The next race is open already: its field is chosen anew.',
  },
  RACE_COMPLETE: {
    says: 'Its race was completed before it ended.',
    next: claimAgain,
  },
  RECLAIMED: {
    says: 'Operators ended it so that another validator may take the work.',
    next: claimAgain,
  },
  REJUDGING_CANCELLED: rejudgingCancelled,
  RELEASED: {
    says: 'Its validator gave it back, and the work is offered again.',
    next: null,
  },
  RUN_INCLUDED: {
    says: 'Operators let another run count, so this one is not needed any more.',
    next: claimAgain,
  },
  RUN_LIMIT: {
    says: 'It took longer than a run may take, and the work is offered again.',
    next: 'A validator looks at what made it slow; a miner has nothing to do.',
  },
  // Of a version that was eligible ends what is judged again, and the version stays as it is.
  SUITE_SUPERSEDED: {
    says: 'Another suite became active while it ran, and what is of the former one is not evaluated any more.',
    next: 'The status of the version says whether it was cancelled; then submit the file again.',
  },
  VALIDATOR_BANNED: validatorBanned,
  VERSION_DISCARDED: versionDiscarded,
  WORK_CLOSED: {
    says: 'As many successes as are needed came while it ran, so it is not needed any more.',
    next: claimAgain,
  },
};

export const faultClassTexts: ReasonTexts<FaultClass> = {
  AGENT: {
    says: 'The agent itself failed; so many of these in a row discard its version.',
    next: 'Read what the run says of it, mend the agent and submit a new version.',
  },
  INTEGRITY: {
    says: 'The agent broke the rules, as by a leaked answer or an exploit; one of these discards it.',
    next: 'Submit a new version that solves the tasks itself.',
  },
  PLATFORM: {
    says: 'The service, or what it gave out for the run, failed; it counts for nothing.',
    next: 'Wait: the work is offered again.',
  },
  PROVIDER: {
    says: 'The provider of the language model failed; it counts for nothing.',
    next: 'Check your account at the provider; the work is offered again.',
  },
  UNATTRIBUTED: {
    says: 'Nobody can tell whose fault it was; it counts for nothing.',
    next: 'Wait: the work is offered again.',
  },
  VALIDATOR: {
    says: 'The validator failed; it counts for nothing.',
    next: 'Wait: the work is offered again.',
  },
};

/** Of a rejudging: for operators alone. */
export const judgingTexts: ReasonTexts<JudgingEndReason> = {
  AGENT_FAILURES: {
    says: 'The agent failed as often as discards a version, and the first result stands.',
    next: null,
  },
  INTEGRITY: {
    says: 'The agent broke the rules in the run that judged it again, and the first result stands.',
    next: 'Look at that run, and discard the version where it is so.',
  },
  NO_VERDICT: { says: 'Nothing was found out that could be applied.', next: null },
  RACE_OVER: {
    says: 'What a race came to stands: its bundle is published and its emissions are paid.',
    next: 'Look at the difference; it is for information.',
  },
  REJUDGING_CANCELLED: rejudgingCancelled,
  RUN_EXCLUDED: {
    says: 'The run that was to be judged again does not count any more.',
    next: 'Include it first, where it should count, and open another rejudging.',
  },
  SAME_VALIDATOR: {
    says: 'Another success of the judging validator counts already, and one validator counts once.',
    next: 'Open another rejudging, so that another validator judges it.',
  },
  SUITE_SUPERSEDED: {
    says: 'Another suite became active meanwhile, and what the former one came to stands.',
    next: null,
  },
  VALIDATOR_BANNED: {
    says: 'The validator that judged it again was banned meanwhile.',
    next: 'Open another rejudging, so that another validator judges it.',
  },
  VERSION_DISCARDED: { ...versionDiscarded, next: 'Reinstate it first, where it should count.' },
};
