import { explained, explainedDiscard } from '../../../../machines/reasons/explained.ts';
import { type RaceStanding, raceStandingOf } from '../../../../machines/reasons/race-standing.ts';
import { textOfReason } from '../../../../machines/reasons/reason-kinds.ts';
import type { AgentVersionStatus } from '../../../cli/client/schemas.generated.ts';
import { meaningOf } from '../reasons.ts';

/** Where a version is, why, and what comes next, each in a sentence or two. */
export interface VersionStory {
  readonly where: string;
  readonly why: string;
  readonly next: string;
}

export function storyOf(status: AgentVersionStatus): VersionStory {
  return { where: whereOf(status), why: whyOf(status), next: nextOf(status) };
}

function runsText({
  included_success_count: done,
  required_successes: needed,
}: AgentVersionStatus) {
  return `${done} of ${needed} successful runs are in`;
}

function whereOf(status: AgentVersionStatus): string {
  switch (status.state) {
    case 'RECEIVED':
      return 'It was received and is being queued.';
    case 'QUEUED':
      return status.waiting.position === null
        ? 'It waits in the queue.'
        : `It waits in the queue at position ${status.waiting.position}.`;
    case 'RUNNING':
      return `Validators evaluate it: ${runsText(status)}, ${status.live_run_count} under way.`;
    case 'ELIGIBLE':
      if (status.eliminated_at !== null) return eliminatedText(status);
      if (status.is_miner_banned) return 'It is eligible, but its miner is banned.';
      if (isReopened(status)) {
        return `Its qualifying is open again: ${runsText(status)}, ${status.live_run_count} under way.`;
      }
      return whereByStanding[raceStandingOf(status)];
    case 'DISCARDED':
      return 'It was discarded.';
    case 'CANCELLED':
      return 'It was cancelled.';
    default:
      return `Its state is ${status.state}.`;
  }
}

const whereByStanding: Readonly<Record<RaceStanding, string>> = {
  ENTERED: 'It is in a race that is not over yet.',
  CHOSEN: 'It is eligible, and its miner’s choice for the next race.',
  BARRED: 'It is eligible, but cannot race.',
  ABLE: 'It is eligible, and can race.',
};

/** Of an eligible one: a run that counted was taken out of its score. */
function isReopened({ waiting }: AgentVersionStatus): boolean {
  return waiting.phase === 'QUALIFYING';
}

function eliminatedText({ eliminated_in_race_number: race }: AgentVersionStatus): string {
  return race === null ? 'It was eliminated.' : `It was eliminated in race ${race}.`;
}

const bannedText = 'Its miner is banned: no version of it is evaluated or races.';

function whyOf(status: AgentVersionStatus): string {
  const reasons = [
    status.discard_reason && explainedDiscard(status.discard_reason),
    status.is_miner_banned
      ? bannedText
      : status.waiting.reason && explained('waiting.reason', status.waiting.reason),
    status.selection_fallback_reason === null
      ? null
      : `The pinned version does not race: ${meaningOf('selection_fallback_reason', status.selection_fallback_reason)}`,
    status.pin_disabled_reason === null || status.state !== 'ELIGIBLE'
      ? null
      : `It cannot be pinned: ${meaningOf('pin_disabled_reason', status.pin_disabled_reason)}`,
    failuresText(status),
  ].filter((reason) => reason !== null);
  if (reasons.length > 0) return reasons.join(' ');
  return status.state === 'ELIGIBLE' ? `${runsText(status)}.` : 'Nothing holds it up.';
}

function failuresText(status: AgentVersionStatus): string | null {
  const { failed_run_count: failed, stale_run_count: stale } = status;
  const streak = status.consecutive_agent_failures;
  if (failed + stale === 0) return null;
  const inRow = streak === 0 ? '' : ` ${streak} in a row failed for the agent’s own reasons.`;
  const runs = failed === 1 ? '1 run failed' : `${failed} runs failed`;
  return `${runs} and ${stale} went stale, whose work was offered again.${inRow}`;
}

function nextOf(status: AgentVersionStatus): string {
  const missing = status.required_successes - status.included_success_count;
  if (status.is_miner_banned) return 'Nothing more, unless an operator takes the ban back.';
  switch (status.state) {
    case 'RECEIVED':
    case 'QUEUED':
      return `A validator claims it and runs it; ${missing} of them have to succeed.`;
    case 'RUNNING':
      return missing > 0
        ? `${moreRuns(missing)} ${missing === 1 ? 'makes' : 'make'} it eligible.`
        : 'Its score is worked out.';
    case 'ELIGIBLE':
      if (status.eliminated_at !== null) return 'Nothing more: its miner may submit a new version.';
      if (isReopened(status)) {
        return `${moreRuns(missing)} ${missing === 1 ? 'gives' : 'give'} it its score back.`;
      }
      return nextToRaces(status);
    default:
      return 'Nothing more: its miner may submit a new version once the cooldown is over.';
  }
}

function nextToRaces(status: AgentVersionStatus): string {
  const standing = raceStandingOf(status);
  return standing === 'BARRED' ? nextOfBarred(status) : nextByStanding[standing];
}

const nextByStanding: Readonly<Record<Exclude<RaceStanding, 'BARRED'>, string>> = {
  ENTERED: 'Its race score and rank are told when the race is over.',
  CHOSEN:
    'It enters the field when qualifying closes, unless a pin or a better version of its miner takes its place.',
  ABLE: 'Which version of its miner races is the miner’s pin, or the one with the best score at the close.',
};

function nextOfBarred({ pin_disabled_reason: reason }: AgentVersionStatus): string {
  const next = reason === null ? null : textOfReason('pin_disabled_reason', reason)?.next;
  return next ?? 'Nothing more: its miner may submit a new version.';
}

function moreRuns(missing: number): string {
  return `${missing} more successful ${missing === 1 ? 'run' : 'runs'}`;
}
