import type { Service } from '../../../infra/ports/lifecycle.ts';
import { askModel } from './ask-model.ts';
import { HeldRun, type RunContext } from './held-run.ts';
import { download } from './object-transfer.ts';
import { playEpisodes } from './play-episodes.ts';
import { type Refusal, Refused, refusalOf } from './refusal.ts';
import { type AgentTraits, agentTraits } from './seeded-rule.ts';
import { solveProblems } from './solve-problems.ts';
import { type Claim, claimAnswer, completionAnswer } from './validator-answers.ts';
import type { WorkRule } from './work-rule.ts';

export interface ValidatorOptions extends Omit<RunContext, 'stopping'> {
  readonly rule: WorkRule;
  /** Between two claims when there was nothing to do. */
  readonly idleMs: number;
  /** Left out: as often as the claim asks for. */
  readonly heartbeatMs?: number;
  /** It vanishes once, with a run in its hands, and comes back when that is no longer its own. */
  readonly silence?: Silence;
}

export interface Silence {
  /** Heartbeats that it still sends. */
  readonly heartbeats: number;
  /** From the end of its lease to its return. */
  readonly lateMs: number;
}

/** A validator client: claims, evaluates by the seeded rule, completes; releases when stopped. */
export function simulatedValidator(options: ValidatorOptions): Service {
  const ending = new AbortController();
  const context: RunContext = { ...options, stopping: ending.signal };
  let silence = options.silence;
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (!ending.signal.aborted) {
      const hasWorked = await workOnce().catch((error: unknown) => {
        options.onEvent({ kind: 'trouble', who: options.who, error });
        return false;
      });
      if (!hasWorked) await options.clock.sleep(options.idleMs, ending.signal);
    }
  }

  /** False when there was nothing to do. */
  async function workOnce(): Promise<boolean> {
    const claim = await claimWork(context);
    if (claim === undefined) return false;
    await using run = new HeldRun(claim, context);
    try {
      const agent = await readAgent(claim, context);
      if (silence === undefined || agent.raisesAtStart) {
        await evaluate(run, agent, { context, options });
      } else {
        const once = silence;
        silence = undefined;
        await vanish(run, once, context);
      }
    } catch (error) {
      await giveUp(run, error, context);
    }
    return true;
  }

  return {
    start: async () => {
      working ??= work();
    },
    stop: async () => {
      ending.abort();
      await working;
    },
  };
}

async function claimWork({ client, clock, onEvent, who }: RunContext): Promise<Claim | undefined> {
  const startedMs = clock.monotonicMs();
  const reply = await client.request('POST', '/v1/validator/work/claim', { json: {} });
  if (reply.status === 204) return undefined;
  if (reply.status !== 200) throw new Refused('a claim', reply);
  const claim = claimAnswer.parse(reply.body);
  const { eval_run_id: evalRunId, agent_version_id: agentVersionId } = claim;
  const claimMs = clock.monotonicMs() - startedMs;
  onEvent({ kind: 'claimed', who, claimMs, evalRunId, agentVersionId });
  return claim;
}

async function readAgent(claim: Claim, { clock }: RunContext): Promise<AgentTraits> {
  const sha256 = claim.code_sha256;
  return agentTraits(await download(clock, claim.code_download_url, { sha256 }), sha256);
}

interface Evaluating {
  readonly context: RunContext;
  readonly options: ValidatorOptions;
}

async function evaluate(
  run: HeldRun,
  agent: AgentTraits,
  { context, options }: Evaluating,
): Promise<void> {
  const { claim } = run;
  await run.beat();
  run.keepAlive(options.heartbeatMs ?? claim.heartbeat_interval_seconds * 1000);
  await askModel(claim, context);
  if (agent.raisesAtStart) {
    await run.work(options.rule.taskMs);
    return await complete(run, context, agentFailure);
  }
  const solve = claim.execution_kind === 'envpack' ? playEpisodes : solveProblems;
  const { score, components } = await solve(run, agent, { context, rule: options.rule });
  const done = { validator_score: score, score_components: components };
  await complete(run, context, { terminal_status: 'SUCCESS', ...done });
}

const agentFailure = {
  terminal_status: 'FAILED',
  failure_class: 'AGENT',
  failure_reason: 'the agent raised an exception before its first step',
  sandbox_metadata: { exit_code: 1, duration_seconds: 0.2, stderr_tail: 'RuntimeError' },
} as const;

interface Completion {
  readonly terminal_status: string;
  readonly validator_score?: number;
  readonly failure_class?: string;
}

async function complete(
  run: HeldRun,
  { clock, onEvent }: RunContext,
  body: Completion,
): Promise<void> {
  const startedMs = clock.monotonicMs();
  const answer = completionAnswer.parse(await run.send('a completion', run.path('complete'), body));
  onEvent({
    kind: 'completed',
    completeMs: clock.monotonicMs() - startedMs,
    ...run.about,
    status: answer.status,
    score: body.validator_score ?? null,
    failureClass: body.failure_class ?? null,
    includedSuccessCount: answer.work_item.included_success_count,
    requiredSuccesses: answer.work_item.required_successes,
    becameEligible: answer.agent_version_became_eligible,
    finalScore: answer.final_score,
  });
}

/** Beats a little, says nothing until long after the lease, then tries as if nothing had been. */
async function vanish(run: HeldRun, silence: Silence, context: RunContext): Promise<void> {
  const { client, onEvent } = context;
  for (let beats = 0; beats < silence.heartbeats; beats++) {
    await run.beat();
    await run.work(run.claim.heartbeat_interval_seconds * 1000);
  }
  const refusal = await untilLate(run, silence, context);
  onEvent({ kind: 'late', request: 'heartbeat', refusal, ...run.about });
  const json = { terminal_status: 'SUCCESS', validator_score: 1 };
  const reply = await client.request('POST', run.path('complete'), { json });
  if (reply.status < 400) throw new Error(`a late completion was answered ${reply.status}`);
  onEvent({ kind: 'late', request: 'completion', refusal: refusalOf(reply), ...run.about });
}

/** What its first heartbeat after the lease is refused with. */
async function untilLate(
  run: HeldRun,
  { lateMs }: Silence,
  { clock, onEvent }: RunContext,
): Promise<Refusal> {
  for (;;) {
    onEvent({ kind: 'silent', leaseExpiresAt: run.leaseExpiresAt, ...run.about });
    await run.work(Math.max(0, Date.parse(run.leaseExpiresAt) - clock.nowMs()) + lateMs);
    try {
      // An outage of the service prolongs every lease: this one too may have outlived its end.
      await run.beat();
    } catch (error) {
      if (error instanceof Refused) return error.refusal;
      throw error;
    }
  }
}

/** A lost run is nobody's any more; every other one goes back, so that no lease has to run out. */
async function giveUp(run: HeldRun, error: unknown, context: RunContext): Promise<void> {
  const { onEvent, who, stopping } = context;
  if (error instanceof Refused && losses.has(error.refusal.code)) {
    onEvent({ kind: 'lost', refusal: error.refusal, ...run.about });
    return;
  }
  if (!stopping.aborted) onEvent({ kind: 'trouble', who, error });
  const refusal = await run.release();
  onEvent(
    refusal === undefined
      ? { kind: 'released', ...run.about }
      : { kind: 'lost', refusal, ...run.about },
  );
}

/** What the service answers under a run that is no longer live. */
const losses: ReadonlySet<string> = new Set([
  'LEASE_EXPIRED',
  'NOT_RUN_OWNER',
  'RUN_ALREADY_COMPLETE',
  'EVAL_RUN_NOT_FOUND',
]);
