/** How one task's process ended, as seen from outside of the sandbox. */
export interface Ending {
  readonly reason: EndReason;
  /** What the agent's own words say of it; for people only. */
  readonly detail: string;
  /** 128 and the signal's number for a process that a signal ended. */
  readonly exitCode: number | null;
  /** The file was read and its functions are there. */
  readonly isLoaded: boolean;
  readonly wallSeconds: number;
  readonly stdoutTail: string;
  readonly stderrTail: string;
}

export type EndReason = AgentEnd | 'finished' | 'not_started' | 'stopped' | 'tools_failed';

/** Ends that are the agent's own doing. */
export type AgentEnd =
  | 'call_limit'
  | 'cpu_limit'
  | 'died'
  | 'memory_limit'
  | 'output_limit'
  | 'protocol'
  | 'raised'
  | 'time_limit';

const agentEnds: Readonly<Record<AgentEnd, string>> = {
  call_limit: 'called the tools more often than a task allows',
  cpu_limit: 'used up its processor time',
  died: 'ended without a word',
  memory_limit: 'took more memory than a task has',
  output_limit: 'printed more than a task may',
  protocol: 'wrote something other than tool calls into the channel',
  raised: 'raised an exception',
  time_limit: 'was not done in time',
};

export function isAgentEnd(reason: EndReason): reason is AgentEnd {
  return Object.hasOwn(agentEnds, reason);
}

/** A sentence without a word that the service's table of faults would take for another's fault. */
export function sayAgentEnd(reason: AgentEnd, detail: string): string {
  return `the agent ${agentEnds[reason]}${detail === '' ? '' : `: ${detail}`}`;
}

/**
 * Words of an agent as anybody may read them: neither NUL, half a surrogate pair nor another sign that
 * only steers. A service of an earlier version refused the very message that blames it for the first two.
 */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd');
}

/** The end of it, `unitsMax` UTF-16 units at the most. A cut must not leave half a pair either. */
export function plainTail(text: string, unitsMax: number): string {
  return plainText(text.slice(-unitsMax)).replace(/^\ufffd/, '');
}

export interface Exit {
  /** Of the sandbox's first process: the agent's own code, or 128 and its signal. */
  readonly code: number | null;
  readonly signal: string | null;
  /** It ran for so long that it may have used up its processor time, on all processors of the machine. */
  readonly hadCpuTime: boolean;
}

export interface Told {
  readonly isReady: boolean;
  readonly isFinished: boolean;
  readonly raised: string | undefined;
}

const signalBase = 128;
const cpuSignal = signalBase + 24;
const killSignal = signalBase + 9;

/**
 * Why a process that nobody ended has ended.
 *
 * 1. Before it said that it was ready only our own file had run: that end is the sandbox's.
 * 2. Afterwards nothing that came out of the sandbox can put the blame on anybody but the agent.
 */
export function reasonOfExit({ isReady, isFinished, raised }: Told, exit: Exit): EndReason {
  if (!isReady) return 'not_started';
  if (exit.code === cpuSignal || exit.signal === 'SIGXCPU') return 'cpu_limit';
  // The second of the two limits on processor time: for who ignores the first. Whoever is killed before that is
  // the prey of the kernel's want of memory, or his own, which from outside are the same: the second rule holds.
  if (exit.code === killSignal && exit.hadCpuTime) return 'cpu_limit';
  if (raised === 'MemoryError') return 'memory_limit';
  if (raised !== undefined) return 'raised';
  return isFinished && exit.code === 0 ? 'finished' : 'died';
}
