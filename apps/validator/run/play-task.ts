import type { Clock } from '../../../infra/ports/clock.ts';
import type { Claim } from '../../cli/client/schemas.generated.ts';
import type { Sandbox } from '../sandbox/find-sandbox.ts';
import { runAgent, type ToolAnswer } from '../sandbox/run-agent.ts';
import { gradeOrder, type Verdict } from '../shop/grade.ts';
import { Shopping } from '../shop/shopping.ts';
import { type EpisodeFacts, isSolved } from './episode.ts';
import { KeptSteps } from './kept-steps.ts';
import { ModelAccess } from './model-access.ts';
import type { ModelList } from './model-list.ts';
import type { ShopPack, ShopTask } from './open-pack.ts';
import { Printed } from './printed.ts';
import { isProviderAway } from './provider-trial.ts';

export interface Playing {
  readonly claim: Claim;
  readonly packSha256: string;
  readonly agent: Uint8Array;
  /** Null where the miner has connected no provider. */
  readonly models: ModelList | null;
  readonly pack: ShopPack;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface PlayedTask {
  readonly facts: EpisodeFacts;
  readonly printed: Printed;
  readonly modelFailures: number;
  /** It was not solved, and its provider failed the agent, and whoever asks. */
  readonly isLostToProvider: boolean;
}

/** One task in a sandbox of its own, graded on what the shop has seen. */
export async function playTask(playing: Playing, task: ShopTask): Promise<PlayedTask> {
  const { claim, clock, models, sandbox, signal, pack } = playing;
  signal.throwIfAborted();
  const shopping = new Shopping(pack.catalogue);
  const model = new ModelAccess({
    ...{ models, clock, signal },
    taskSeconds: sandbox.limits.wallSeconds,
  });
  const steps = new KeptSteps();
  const printed = new Printed();
  const startedMs = clock.monotonicMs();
  const { taskId, family, goalText } = task;

  async function onCall(tool: string, given: Readonly<Record<string, unknown>>) {
    const at_ms = Math.round(clock.monotonicMs() - startedMs);
    const answer: ToolAnswer =
      tool === 'ask_model'
        ? await model.ask(given)
        : (shopping.call(tool, given) ?? { error: `there is no tool ${tool}` });
    steps.add({ tool, arguments: given, answer, at_ms });
    return answer;
  }

  let left = { unanswered: 0, silent: 0 };
  const ending = await runAgent({
    command: sandbox.commandFor(playing.agent),
    limits: sandbox.limits,
    // Never the answer: what the sandbox holds, the agent has.
    problem: { task_id: taskId, family, goal_text: goalText },
    onCall,
    onOutput: (name, chunk) => printed.take(name, chunk),
    waitedMs: () => models?.waitedMs ?? 0,
    clock,
    signal,
  }).finally(() => {
    left = model.end();
  });
  signal.throwIfAborted();
  const about = { products: pack.catalogue.products, calls: steps.all.length };
  const { order } = shopping;
  const isLate = ending.reason === 'time_limit';
  const facts: EpisodeFacts = {
    evalRunId: claim.eval_run_id,
    agentVersionId: claim.agent_version_id,
    packSha256: playing.packSha256,
    // A call that was still under way may yet say how it ended.
    ...{ taskId, family, goalText, ending, order, steps: [...steps.all] },
    verdict: verdictOf(() => gradeOrder(task.expected, order, about)),
  };
  const mayBeLost = model.outages + (isLate ? left.silent : 0) > 0 && !isSolved(facts);
  return {
    modelFailures: model.failures + (isLate ? left.unanswered : 0),
    isLostToProvider: mayBeLost && (await isProviderAway({ models, clock, signal })),
    printed,
    facts,
  };
}

/** A verifier that fails is nobody's fault but its own. */
function verdictOf(grade: () => Verdict): Verdict | undefined {
  try {
    return grade();
  } catch {
    return undefined;
  }
}
