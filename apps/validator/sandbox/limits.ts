/** What one task may use. Whatever goes beyond ends the task, and its agent is blamed. */
export interface TaskLimits {
  /** From the start of the agent's file to its end. */
  readonly wallSeconds: number;
  /** Of one process. */
  readonly cpuSeconds: number;
  /** Of one process's address space, and of all processes' resident memory together. */
  readonly memoryBytes: number;
  /** Threads count too. */
  readonly processes: number;
  /** Of standard output and standard error together. */
  readonly outputBytes: number;
  readonly toolCalls: number;
}

/** Descriptors that a process of the sandbox may hold; its three streams and the channel are four. */
export const openFilesMax = 64;

/** As the file inside reads them. */
export function limitsArgument(limits: TaskLimits): string {
  return JSON.stringify({
    cpu_seconds: limits.cpuSeconds,
    memory_bytes: limits.memoryBytes,
    processes: limits.processes,
    open_files: openFilesMax,
  });
}
