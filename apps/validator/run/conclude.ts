import { settings } from '../../../infra/config/settings.ts';
import { isBeyondShare } from '../../../machines/scoring/fault-attribution.ts';
import type { CompletionBody } from '../delivery/delivery.ts';
import {
  type Ending,
  type EndReason,
  isAgentEnd,
  plainTail,
  sayAgentEnd,
} from '../sandbox/ending.ts';

/** What is kept of a task for the end of the run. */
export interface TaskEnd {
  readonly ending: Ending;
  /** In 10^-6; null where nothing was earned. */
  readonly rewardMicro: number | null;
  /** Calls to a language model that its provider did not answer well. */
  readonly modelFailures: number;
  /** It earned nothing, and its provider failed it: see `isProviderAway`. */
  readonly isLostToProvider: boolean;
}

/** What becomes of the run: it is completed, or given back with nobody blamed. */
export type Conclusion =
  | { readonly kind: 'complete'; readonly body: CompletionBody }
  | { readonly kind: 'release'; readonly reason: string };

/** Of an agent that has never worked nobody needs to see thirty failures. */
const hopelessAfter = 3;

/**
 * Whether the run is to end before its last task; undefined to go on.
 *
 * 1. A file that cannot even be loaded fails on every task: it is told after the first one.
 * 2. Who failed by its own doing on each of the first tasks has failed the run. From the first task
 *    that it got through on, a failure is a zero among the others.
 * 3. Where the provider failed in more tasks than may be lost to the platform, the run says nothing of its
 *    agent, whatever the others earned. What was solved all the same is not lost.
 * 4. Where the sandbox never came up the run is given back: another validator's may.
 */
export function earlyEnd(ends: readonly TaskEnd[], taskCount: number): Conclusion | undefined {
  const last = ends.at(-1)?.ending;
  if (last === undefined) return undefined;
  const isAll = (test: (reason: EndReason) => boolean) =>
    ends.every(({ ending }) => test(ending.reason));
  const isEnough = ends.length >= Math.min(hopelessAfter, taskCount);
  if (isAll(isAgentEnd) && (isEnough || !last.isLoaded)) return agentFailed(last, ends);
  const lost = ends.filter(({ isLostToProvider }) => isLostToProvider).length;
  if (isBeyondShare(lost, taskCount, faultShareMicro)) return providerFailed(lost, taskCount);
  if (isEnough && isAll((reason) => reason === 'not_started')) {
    const said = last.stderrTail.trim().split('\n').at(-1) ?? '';
    return {
      kind: 'release',
      reason: `the sandbox does not come up: ${last.detail} ${said}`.trim(),
    };
  }
  return undefined;
}

function agentFailed(last: Ending, ends: readonly TaskEnd[]): Conclusion {
  if (!isAgentEnd(last.reason)) throw new Error(`${last.reason} is no end of an agent's own`);
  // An agent that no model answered may be as good as any other.
  const isProviders = ends.some(({ modelFailures }) => modelFailures > 0);
  return {
    kind: 'complete',
    body: {
      terminal_status: last.reason === 'time_limit' ? 'TIMED_OUT' : 'FAILED',
      failure_class: isProviders ? 'PROVIDER' : 'AGENT',
      failure_reason: `${last.reason}: ${sayAgentEnd(last.reason, last.detail)}`.slice(0, 2000),
      sandbox_metadata: {
        exit_code: last.exitCode,
        duration_seconds: Math.round(last.wallSeconds * 1000) / 1000,
        stderr_tail: plainTail(last.stderrTail, 2000),
      },
    },
  };
}

/** As services have it unless they are told otherwise: no route tells it to a validator. */
const faultShareMicro = settings.PLATFORM_FAULT_SHARE.schema.parse(
  settings.PLATFORM_FAULT_SHARE.default ?? '',
);

function providerFailed(lost: number, taskCount: number): Conclusion {
  return {
    kind: 'complete',
    body: {
      terminal_status: 'FAILED',
      failure_class: 'PROVIDER',
      failure_reason: `the provider of models failed in ${lost} of ${taskCount} tasks`,
    },
  };
}

/** The mean over the whole roster, exactly as the service computes it again. */
export function success(ends: readonly TaskEnd[]): Conclusion {
  const paidMicro = ends.reduce((sum, { rewardMicro }) => sum + (rewardMicro ?? 0), 0);
  const correct = ends.filter(({ rewardMicro }) => rewardMicro !== null).length;
  return {
    kind: 'complete',
    body: {
      terminal_status: 'SUCCESS',
      validator_score: paidMicro / 1_000_000 / Math.max(1, ends.length),
      score_components: { task_count: ends.length, correct_count: correct },
    },
  };
}

/** The pack's own fault, in words by which the service knows it. */
export function packFailed(reason: string): Conclusion {
  const body = { terminal_status: 'FAILED' as const, failure_class: 'PLATFORM' };
  return { kind: 'complete', body: { ...body, failure_reason: reason.slice(0, 2000) } };
}
