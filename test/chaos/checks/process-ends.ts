import type { ProcessEnd } from '../../../apps/world/process-group.ts';
import type { Injected } from '../faults/injector.ts';

export interface EndedProcess extends ProcessEnd {
  /** `edge-1`, whichever process of that name it was. */
  readonly name: string;
}

export interface KnownOfProcesses {
  /** Pids of those that somebody ended on purpose. */
  readonly toldToEnd: ReadonlySet<number>;
  /** Pids of those that had said that they are ready. */
  readonly ready: ReadonlySet<number>;
  /** When a process said that it gave up its connection to the broker, by its pid. */
  readonly gaveUpBroker: ReadonlyMap<number, number>;
  readonly injected: readonly Injected[];
}

/** Asks to be started anew. */
const startAnewCode = 75;
/** A start that failed, as it must while a neighbour is away. */
const failedCode = 1;
/** Missing answers to three pings end a connection; a client that gives up does so soon after. */
const givesUpWithinMs = 20_000;

/**
 * Processes that nobody ended. Whoever keeps them running hides it from clients, and so a crash every
 * minute would be no more than a few slow answers.
 *
 * Two causes let a process ask to be started anew. It gave up its connection to the broker: then its log
 * says so, and a fault had kept it from the broker. Or the database went back in time, or is of another
 * branch, and what it remembers is worth nothing: here no fault does that, so who says it is wrong.
 */
export function endsByThemselves(ends: readonly EndedProcess[], known: KnownOfProcesses): string[] {
  const { toldToEnd, ready } = known;
  return ends
    .filter(({ pid }) => !toldToEnd.has(pid))
    .flatMap((end) => {
      const { name, pid, code, signal } = end;
      if (!ready.has(pid) && (code === failedCode || code === startAnewCode)) return [];
      if (code === startAnewCode) return objectionTo(end, known);
      const when = ready.has(pid) ? '' : ' before it was ready';
      return [`${name} (${pid}) ended by itself with ${signal ?? `code ${code}`}${when}`];
    });
}

function objectionTo(
  { name, pid }: EndedProcess,
  { gaveUpBroker, injected }: KnownOfProcesses,
): string[] {
  const asked = `${name} (${pid}) asked to be started anew`;
  const atMs = gaveUpBroker.get(pid);
  if (atMs === undefined) return [`${asked}, and not for having lost its broker`];
  const isExplained = injected.some(
    ({ fault, wasIdle, startMs, endMs }) =>
      !wasIdle &&
      keepsFromBroker(fault, name) &&
      startMs <= atMs &&
      endMs + givesUpWithinMs >= atMs,
  );
  return isExplained ? [] : [`${asked}, and no fault had kept it from its broker`];
}

function keepsFromBroker(fault: Injected['fault'], name: string): boolean {
  switch (fault.kind) {
    case 'nats killed':
    case 'nats rolled back':
    case 'nats wiped':
    case 'nats frozen':
      return true;
    case 'line':
      return fault.line === 'nats' && fault.who === name;
    case 'freeze':
      // Its own pings have no answer when it wakes up.
      return fault.who === name;
    default:
      return false;
  }
}
