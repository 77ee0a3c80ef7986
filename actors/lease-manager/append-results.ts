import {
  type EpisodeClaim,
  type Judgement,
  judgeResult,
  tallyOf,
} from '../../machines/evaluation-run/results.ts';
import { Fault } from '../../machines/fault.ts';
import { detailOf } from '../../machines/refusal.ts';
import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { type HeldRun, heldRun } from './own-run.ts';
import { pickResults, type ResultColumns } from './result-columns.ts';
import { recordSign } from './sign-of-life.ts';

type Request = EvalRequest<'append-results'>;
type Rows = Extract<Request, { results: unknown }>;
type Verdict = Judgement | Refusal;

interface Refusal {
  readonly status: 404 | 422;
  readonly error: string;
}

interface Judged {
  readonly verdicts: readonly Verdict[];
  /** Places of what is to be stored. */
  readonly places: readonly number[];
  readonly stored: readonly EpisodeClaim[];
}

/** Stores what can be stored; every item gets its own status, and none refuses the batch. */
export function appendResults(draft: Draft, request: Request): Answer {
  const columns = 'columns' in request ? request.columns : columnsOf(draft, request);
  const answer = 'columns' in request ? refusalsAmong : itemised;
  const held = heldRun(draft, request);
  if (held instanceof Fault) {
    const refusal = refusalOfItem(held);
    return accepted(
      answer(
        columns.taskId.map(() => refusal),
        columns,
      ),
    );
  }
  const judged = judgeAll(draft, held, columns);
  const reply = answer(judged.verdicts, columns);
  if (judged.places.length === 0) return heardOf(draft, held, reply);
  store(draft, held, columns, judged);
  return accepted(reply, held.leaseUntilMs);
}

/** Nothing of it is new, as in a batch that is sent again: a sign of life all the same, but no progress. */
function heardOf(
  draft: Draft,
  { run, leaseUntilMs }: HeldRun,
  reply: EvalReply<'append-results'>,
): Answer {
  const { nowMs, state } = draft;
  const { evalRunId } = run.context;
  const promised = state.deadlines.promise(evalRunId, nowMs, 'beat');
  if (recordSign(draft, run, promised, [])) return accepted(reply, leaseUntilMs);
  state.hear(evalRunId, nowMs);
  return accepted(reply);
}

function refusalOfItem(fault: Fault): Refusal {
  const isForeign = fault.code === 'EVAL_RUN_NOT_FOUND' || fault.code === 'NOT_RUN_OWNER';
  return {
    status: isForeign ? 404 : 422,
    error: isForeign ? detailOf('EVAL_RUN_NOT_FOUND') : fault.message,
  };
}

function refusalsAmong(verdicts: readonly Verdict[]): EvalReply<'append-results'> {
  const refusals = verdicts.flatMap(({ status, error }, index) =>
    status === 201 ? [] : [{ index, status, error }],
  );
  return { refusals };
}

function itemised(
  verdicts: readonly Verdict[],
  { episodeResultId }: ResultColumns,
): EvalReply<'append-results'> {
  const items = verdicts.map(({ status, error }, index) => ({
    ...{ status, error },
    episodeResultId: status === 201 ? (episodeResultId[index] ?? null) : null,
  }));
  return { items };
}

function judgeAll(draft: Draft, { run }: HeldRun, columns: ResultColumns): Judged {
  const { evalRunId, envPackSha256 } = run.context;
  const ledger = draft.ledger(evalRunId);
  const storedTaskIds = new Set(ledger.taskIds);
  const rules = {
    envPackSha256,
    families: draft.state.roster(run.context).families,
    storedTaskIds,
    presignedSha256: ledger.artifactSha256,
    artifactUriPrefix: draft.policy.artifactUriPrefix,
  };
  const places: number[] = [];
  const stored: EpisodeClaim[] = [];
  const verdicts = columns.taskId.map((taskId, place) => {
    const claim = claimAt(columns, taskId, place);
    const judgement = judgeResult(claim, rules);
    if (judgement.status !== 201) return judgement;
    storedTaskIds.add(taskId);
    places.push(place);
    stored.push(claim);
    return judgement;
  });
  if (places.length > 0) draft.setLedger(evalRunId, { ...ledger, taskIds: storedTaskIds });
  return { verdicts, places, stored };
}

/** What is judged of the result in this place, where every column has a value. */
function claimAt(columns: ResultColumns, taskId: string, place: number): EpisodeClaim {
  const { envPackSha256 } = columns;
  return {
    taskId,
    envPackSha256: typeof envPackSha256 === 'string' ? envPackSha256 : (envPackSha256[place] ?? ''),
    family: columns.family[place] ?? '',
    outcome: columns.outcome[place] ?? 'verifier_error',
    verdictCorrect: columns.verdictCorrect[place] ?? false,
    rewardMicro: columns.rewardMicro[place] ?? null,
    terminalStateHash: columns.terminalStateHash[place] ?? null,
    ledgerUri: columns.ledgerUri[place] ?? null,
  };
}

function store(
  draft: Draft,
  held: HeldRun,
  columns: ResultColumns,
  { places, stored }: Judged,
): void {
  const { nowMs } = draft;
  const { evalRunId } = held.run.context;
  const leaseUntil = draft.state.deadlines.promise(evalRunId, nowMs, 'progress');
  recordSign(draft, held.run, leaseUntil, [
    { type: 'RESULTS_STORED', at: nowMs, leaseUntil, added: tallyOf(stored) },
  ]);
  const kept = pickResults(columns, places);
  draft.operation('episode_results', {
    eval_run_id: evalRunId,
    task_id: kept.taskId,
    episode_result_id: kept.episodeResultId,
    family: kept.family,
    outcome: kept.outcome,
    verdict_correct: kept.verdictCorrect,
    verdict_checks: kept.verdictChecks,
    reward_components: kept.rewardComponents,
    checks_passed: kept.checksPassed,
    checks_failed: kept.checksFailed,
    checks_unknown: kept.checksUnknown,
    component_count: kept.componentCount,
    reward_micro: kept.rewardMicro,
    wall_seconds: kept.wallSeconds,
    terminal_state_hash: kept.terminalStateHash,
    ledger_uri: kept.ledgerUri,
    step_count: kept.stepCount,
  });
}

/** As the version before sends them, whose owner gives them their ids. */
function columnsOf(draft: Draft, { evalRunId, results }: Rows): ResultColumns {
  const idOf = draft.resultIds(evalRunId);
  return {
    envPackSha256: results.map((result) => result.envPackSha256),
    taskId: results.map(({ taskId }) => taskId),
    episodeResultId: results.map(({ taskId }) => idOf(taskId)),
    family: results.map(({ family }) => family),
    outcome: results.map(({ outcome }) => outcome),
    verdictCorrect: results.map(({ verdictCorrect }) => verdictCorrect),
    verdictChecks: results.map(({ verdictChecks }) => JSON.stringify(verdictChecks)),
    rewardComponents: results.map(({ rewardComponents }) => JSON.stringify(rewardComponents)),
    rewardMicro: results.map(({ rewardMicro }) => rewardMicro),
    wallSeconds: results.map(({ wallSeconds }) => wallSeconds),
    terminalStateHash: results.map(({ terminalStateHash }) => terminalStateHash),
    ledgerUri: results.map(({ ledgerUri }) => ledgerUri),
    stepCount: results.map(({ stepCount }) => stepCount),
  };
}
