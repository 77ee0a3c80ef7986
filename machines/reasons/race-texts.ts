import type { QualificationType } from '../race/field.ts';
import type { UnfinishedReason } from '../race/finishers.ts';
import type { PinDisabledReason } from '../race/pinnable.ts';
import type { SimilarityReason } from '../submission/similarity-verdict.ts';
import type { CodeReleaseReason, RaceCancelReason, ReignEndReason } from './codes.ts';
import type { ReasonText, ReasonTexts } from './reason-text.ts';

const suiteSwitched: ReasonText = {
  says: 'Another suite became active.',
  next: 'Submit a version for it: its first race is open already.',
};
const nextRaceIsOpen = 'Nothing: the next race is open already.';
const submitNew = 'Submit a new version.';
const compareFiles = 'Compare the passages, and discard the version where it is a copy.';

export const raceCancelTexts: ReasonTexts<RaceCancelReason> = {
  NO_ENTRANT: {
    says: 'No version could race when qualifying closed.',
    next: 'The next race is open already: reach its threshold before it closes.',
  },
  NO_FINISHER: {
    says: 'No entrant had the successful runs that a race score needs, so the race never counted.',
    next: nextRaceIsOpen,
  },
  NO_TASK: {
    says: 'There was no task left that qualifying does not show.',
    next: 'Operators bring a pack with more tasks.',
  },
  SUITE_SWITCHED: suiteSwitched,
};

export const reignEndTexts: ReasonTexts<ReignEndReason> = {
  BANNED: { says: 'The hotkey of the top was banned, which leaves no top.', next: null },
  DISCARDED: { says: 'The top was discarded, which leaves no top.', next: null },
  OUTRANKED: {
    says: 'Another version won a race by the margin or more, and is top now.',
    next: 'Submit a version that beats it by the margin.',
  },
  SUITE_SWITCHED: suiteSwitched,
};

export const unfinishedTexts: ReasonTexts<UnfinishedReason> = {
  AGENT_FAULT: {
    says: 'A run of it failed by a fault of the agent itself, which eliminates all but the top.',
    next: submitNew,
  },
  BANNED: { says: 'The hotkey of its miner was banned before the race was over.', next: null },
  DISCARDED: { says: 'It was discarded before the race was over.', next: submitNew },
  NOT_FINISHED: {
    says: 'Too few of its runs succeeded in time, by no fault of its own, and it is not eliminated.',
    next: 'Nothing: it can be in the next race.',
  },
};

/** Why a version cannot be pinned, or a pin is not honoured. */
export const pinTexts: ReasonTexts<PinDisabledReason> = {
  below_threshold: {
    says: 'Its qualifying score is below the threshold of the race.',
    next: 'Submit a better version.',
  },
  discarded: { says: 'It was discarded.', next: submitNew },
  eliminated: { says: 'It was eliminated in a race, and races no more.', next: submitNew },
  not_eligible: {
    says: 'It is not eligible: its evaluation has not ended well.',
    next: 'Wait until it has its score.',
  },
  superseded_suite: {
    says: 'It was evaluated for a suite that is not active any more.',
    next: 'Submit it again, for the suite of now; paddock agents says when the cooldown allows it.',
  },
};

/** Why a version is in the field of a race. */
export const qualificationTexts: ReasonTexts<QualificationType> = {
  INCUMBENT_TOP: { says: 'It is the top agent, which needs no threshold.', next: null },
  PINNED: { says: 'Its miner chose it by a pin.', next: null },
  QUALIFIED: {
    says: 'It is the version of its miner with the best score, which reaches the threshold.',
    next: null,
  },
  SURVIVOR: {
    says: 'It was in the race before and was not eliminated, and needs no threshold.',
    next: null,
  },
};

export const codeReleaseTexts: ReasonTexts<CodeReleaseReason> = {
  AGED: { says: 'It was submitted long enough ago.', next: null },
  TOP: { says: 'The version became top.', next: null },
};

/** Why a file is taken for like an earlier one: for operators alone. */
export const similarityTexts: ReasonTexts<SimilarityReason> = {
  EARLIER_IS_INSIDE: {
    says: 'Nearly all of an earlier file is inside this one.',
    next: compareFiles,
  },
  MOST_IS_IN_EARLIER: {
    says: 'Most of what is telling in this file is in an earlier one.',
    next: compareFiles,
  },
  NOTHING_OF_ITS_OWN: {
    says: 'This file and an earlier one are nearly the same, made of common code.',
    next: compareFiles,
  },
  PART_IS_IN_EARLIER: {
    says: 'A good part of this file is in an earlier one.',
    next: compareFiles,
  },
  PART_OF_EARLIER_IS_INSIDE: {
    says: 'A good part of an earlier file is inside this one.',
    next: compareFiles,
  },
  SAME_FILE: { says: 'It is an earlier file, byte by byte.', next: compareFiles },
};
