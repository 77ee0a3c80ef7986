import { explained, explainedDiscard, explainedEntry } from '../../machines/reasons/explained.ts';
import { raceStandingOf } from '../../machines/reasons/race-standing.ts';
import { textOfReason } from '../../machines/reasons/reason-kinds.ts';
import { type Terminal, table } from '../world/terminal.ts';
import type { AgentVersionStatus, EvaluationRun } from './client/schemas.generated.ts';
import { durationText, fromNow, localTime, whenText } from './show/moments.ts';
import { counted, plainText, shortened } from './show/plain-text.ts';
import { legendLines } from './show/reasons.ts';

export interface VersionNow {
  readonly status: AgentVersionStatus;
  readonly runs: readonly EvaluationRun[];
}

/** Where a version is, why, and what comes next; then how it came there and who evaluates it. */
export function reportLines({ status, runs }: VersionNow, nowMs: number, terminal: Terminal) {
  const { agent_name: name, version_number: number, state, agent_version_id: id } = status;
  const head = [
    terminal.style('bold', `${plainText(name)}, version ${number}`),
    terminal.style(colourOf(state), state),
    id,
  ];
  return [
    head.join('  '),
    ...table(standLines(status, nowMs)),
    '',
    terminal.style('bold', 'Timeline'),
    ...table(status.timeline.map(timelineCells)).map((line) => `  ${line}`),
    ...(runs.length === 0
      ? []
      : ['', terminal.style('bold', 'Validators'), ...runLines(runs, nowMs)]),
  ];
}

/** Undefined while something will still happen by itself; else whether it went well. */
export function endOf(status: AgentVersionStatus): 'well' | 'badly' | undefined {
  const { state, waiting, is_miner_banned: isBanned } = status;
  if (state === 'DISCARDED' || state === 'CANCELLED' || isBanned) return 'badly';
  if (state !== 'ELIGIBLE' || waiting.reason !== null) return undefined;
  return raceStandingOf(status) === 'ENTERED' ? undefined : 'well';
}

export function timelineCells({
  at,
  event,
  detail,
}: AgentVersionStatus['timeline'][number]): string[] {
  const said = detail === null ? '' : explainedEntry(event, detail);
  return [localTime(at), plainText(event.replaceAll('_', ' ')), plainText(said)];
}

export function standLines(status: AgentVersionStatus, nowMs: number): string[][] {
  const { waiting } = status;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['where', whereText(status)],
    ['why', whyText(status)],
    ['next', nextText(status, nowMs)],
    [
      'start',
      waiting.expected_start_at === null ? undefined : whenText(waiting.expected_start_at, nowMs),
    ],
    [
      'finish',
      waiting.expected_finish_at === null ? undefined : whenText(waiting.expected_finish_at, nowMs),
    ],
    ['score', scoreText(status)],
    ['sent in', whenText(status.submitted_at, nowMs)],
  ];
  return rows.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]));
}

function whereText(status: AgentVersionStatus): string {
  const { state, waiting, live_run_count: live } = status;
  const prefix = waiting.phase === 'RACE' ? 'in a race, ' : '';
  if (waiting.position !== null) {
    const running = live > 0 ? `, ${counted(live, 'run')} in progress` : '';
    return `${prefix}waiting, at position ${waiting.position} of the queue${running}`;
  }
  if (live > 0) return `${prefix}being evaluated: ${counted(live, 'run')} in progress`;
  const by: Readonly<Record<string, string>> = {
    RECEIVED: 'received, on its way into the queue',
    QUEUED: 'in the queue',
    RUNNING: 'being evaluated, between two runs',
    ELIGIBLE: eligibleText(status),
    DISCARDED: 'discarded',
    CANCELLED: 'cancelled',
  };
  return by[state] ?? state;
}

function eligibleText(status: AgentVersionStatus): string {
  if (status.eliminated_at !== null) return 'out of the race';
  return raceStandingOf(status) === 'ENTERED' ? 'in a race that is not over yet' : 'evaluated';
}

function whyText(status: AgentVersionStatus): string | undefined {
  const { waiting, discard_reason: discarded, consecutive_agent_failures: failures } = status;
  if (discarded !== null) return plainText(explainedDiscard(discarded));
  if (status.is_miner_banned) return 'its miner is banned: no version of it is evaluated or races';
  if (waiting.reason !== null) return plainText(explained('waiting.reason', waiting.reason));
  if (status.eliminated_in_race_number !== null) {
    return `eliminated in race ${status.eliminated_in_race_number}`;
  }
  return failures === 0
    ? undefined
    : `${counted(failures, 'evaluation')} in a row failed by the agent's own fault`;
}

function nextText(status: AgentVersionStatus, nowMs: number): string {
  const { state, required_successes: required, included_success_count: included } = status;
  if (status.is_miner_banned) return 'Nothing, unless an operator takes the ban back.';
  if (state === 'DISCARDED') return afterDiscard(status);
  if (state === 'CANCELLED') return afterCancel(status);
  const standing = raceStandingOf(status);
  if (status.waiting.phase !== 'QUALIFYING' && standing === 'ENTERED') {
    return 'Its race score and rank are told when the race is over: paddock race --watch';
  }
  if (state !== 'ELIGIBLE' || status.waiting.reason !== null) {
    const missing = counted(Math.max(0, required - included), 'run');
    const { expected_finish_at: finish } = status.waiting;
    const when = finish === null ? 'no time can be told yet' : `expected ${fromNow(finish, nowMs)}`;
    return `${missing} of ${required} still to succeed, ${when}`;
  }
  if (standing === 'CHOSEN') return 'It is in the field of the race: paddock race --watch';
  const reason = status.selection_fallback_reason ?? status.pin_disabled_reason;
  if (reason === null) {
    return 'It can race; which of your versions does is your pin or the best score: paddock agents';
  }
  const text = textOfReason('pin_disabled_reason', reason);
  return text === undefined ? plainText(reason) : [text.says, text.next ?? ''].join(' ').trimEnd();
}

function afterCancel({ discard_reason: reason }: AgentVersionStatus): string {
  const known = reason === null ? undefined : textOfReason('discard_reason', reason)?.next;
  return known ?? 'Submit it again: what it was queued for is over.';
}

/** A discard keeps nobody from submitting, and only one for faults of the agent shortens the cooldown. */
function afterDiscard({ discard_reason: reason }: AgentVersionStatus): string {
  const known = reason === null ? undefined : textOfReason('discard_reason', reason)?.next;
  const mend =
    known ?? 'Mend what the operator names and submit a new version; your cooldown is as it was.';
  return `${mend} paddock agents says when you may, paddock check FILE what it will be told.`;
}

function scoreText(status: AgentVersionStatus): string {
  const { qualifying_score: qualifying, final_score: final } = status;
  const runs = `${status.included_success_count} of ${status.required_successes} runs count`;
  const other = [
    [status.failed_run_count, 'failed'],
    [status.stale_run_count, 'lost by its validator'],
  ].flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]));
  const score = final ?? qualifying;
  return [score === null ? 'none yet' : String(score), [runs, ...other].join(', ')].join('; ');
}

function runLines(runs: readonly EvaluationRun[], nowMs: number): string[] {
  const rows = runs.map((run) => [
    run.validator_name === null
      ? shortened(run.validator_hotkey)
      : shortened(run.validator_name, 24),
    run.phase.toLowerCase(),
    run.status,
    run.validator_score === null ? '–' : String(run.validator_score),
    run.completed_at === null
      ? `for ${durationText(nowMs - Date.parse(run.claimed_at))}`
      : `in ${durationText(Date.parse(run.completed_at) - Date.parse(run.claimed_at))}`,
    whyNotCounted(run),
    run.eval_run_id,
  ]);
  const head = ['VALIDATOR', 'PHASE', 'STATUS', 'SCORE', 'TOOK', 'COUNTS', 'RUN'];
  const legend = legendLines(runs);
  return [...table([head, ...rows]), ...(legend.length === 0 ? [] : ['', ...legend])].map((line) =>
    line === '' ? line : `  ${line}`,
  );
}

function whyNotCounted(run: EvaluationRun): string {
  if (run.is_included) return 'yes';
  const why = [run.failure_class, run.exclusion_reason ?? run.failure_reason];
  const said = why.filter((each) => each !== null).join(', ');
  return said === '' ? '–' : `no: ${shortened(said, 60)}`;
}

function colourOf(state: string) {
  if (state === 'ELIGIBLE') return 'green';
  return state === 'DISCARDED' || state === 'CANCELLED' ? 'red' : 'yellow';
}
