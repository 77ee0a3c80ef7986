import { z } from 'zod';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { wentBack } from '../edge/write-probes.ts';

/** A start that came to nothing, for a reason that the service itself gives. */
export class NotReady extends Error {
  override name = 'NotReady';
}

export interface WaitForHealth {
  readonly withinMs: number;
  /** The folder of the processes' logs. */
  readonly logs: string;
  readonly signal: AbortSignal;
  /**
   * Told once that the database went back in time: an operator has to see what runs here in order to accept that,
   * so from then on it is waited for without an end. Unless there is nobody to tell.
   */
  readonly onHistoryLost?: (() => Promise<void> | void) | undefined;
}

const report = z.object({
  probes: z.record(z.string(), z.object({ status: z.string(), reason: z.string().optional() })),
});

type Reasons = ReadonlyMap<string, string>;

export async function untilHealthy(url: string, wait: WaitForHealth): Promise<void> {
  const { withinMs, signal, onHistoryLost } = wait;
  let deadlineMs = systemClock.monotonicMs() + withinMs;
  let reasons: Reasons = new Map();
  let isTold = false;
  while (systemClock.monotonicMs() < deadlineMs) {
    const answer = await fetch(`${url}/health/deep`, { signal }).catch(() => undefined);
    if (answer?.status === 200) return await answer.body?.cancel();
    reasons = await failedProbes(answer);
    if (reasons.get('history') === wentBack && onHistoryLost !== undefined) {
      if (!isTold) await onHistoryLost();
      isTold = true;
      // Once it is accepted, the processes start anew and have their time for that.
      deadlineMs = systemClock.monotonicMs() + withinMs;
    }
    await systemClock.sleep(50, signal);
    signal.throwIfAborted();
  }
  const why = [...reasons].map(([name, reason]) => `${name}: ${reason}`).join('; ');
  const said = why === '' ? 'it answers nothing' : why;
  throw new NotReady(
    `the service at ${url} was not ready after ${withinMs / 1000} s (${said}); see ${wait.logs}`,
  );
}

/** By the name of the probe. None where nobody answered. */
async function failedProbes(answer: Response | undefined): Promise<Reasons> {
  const parsed = report.safeParse(await answer?.json().catch(() => undefined));
  const failed = Object.entries(parsed.data?.probes ?? {}).filter(([, p]) => p.status !== 'ok');
  return new Map(failed.map(([name, { reason }]) => [name, reason ?? 'failed']));
}
