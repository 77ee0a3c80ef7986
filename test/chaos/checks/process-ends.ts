import type { ProcessEnd } from '../../../apps/world/process-group.ts';

export interface EndedProcess extends ProcessEnd {
  /** `edge-1`, whichever process of that name it was. */
  readonly name: string;
}

export interface KnownOfProcesses {
  /** Pids of those that somebody ended on purpose. */
  readonly toldToEnd: ReadonlySet<number>;
  /** Pids of those that had said that they are ready. */
  readonly ready: ReadonlySet<number>;
}

/** Asks to be started anew, since it may remember what the database forgot. */
const startAnewCode = 75;
/** A start that failed, as it must while a neighbour is away. */
const failedCode = 1;

/**
 * Processes that nobody ended. Whoever keeps them running hides it from clients, and so a crash every
 * minute would be no more than a few slow answers.
 */
export function endsByThemselves(
  ends: readonly EndedProcess[],
  { toldToEnd, ready }: KnownOfProcesses,
): string[] {
  return ends
    .filter(({ pid, code }) => {
      const hasFailedToStart = code === failedCode && !ready.has(pid);
      return !toldToEnd.has(pid) && code !== startAnewCode && !hasFailedToStart;
    })
    .map(({ name, pid, code, signal }) => {
      const when = ready.has(pid) ? '' : ' before it was ready';
      return `${name} (${pid}) ended by itself with ${signal ?? `code ${code}`}${when}`;
    });
}
