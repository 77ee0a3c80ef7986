/** What starts one sandbox: a program, and what its descriptors from 4 on are to hold. */
export interface SandboxCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The first is descriptor 4; 3 is the channel. */
  readonly inputs: readonly Uint8Array[];
}

export interface SandboxFiles {
  /** By their names below /sandbox, which all of them are put into. */
  readonly [name: string]: Uint8Array;
}

export interface SandboxPlan {
  readonly python: PythonPlace;
  /** The user that the sandbox belongs to; undefined: ours, since only root can take another. */
  readonly userId: number | undefined;
  readonly files: SandboxFiles;
  readonly filter: Uint8Array | undefined;
  readonly argument: string;
}

export interface PythonPlace {
  readonly path: string;
  /** Beside /usr, the folder that it needs to find its library; undefined when it lies in /usr. */
  readonly home: string | undefined;
}

/** Everything that a program inside may read of the machine, where it exists. */
export const systemFolders = ['/lib', '/lib64', '/bin', '/sbin'] as const;

export const firstInput = 4;
export const insideFolder = '/sandbox';

/** Without anything of ours: secrets travel in variables. */
export const insideEnvironment: Readonly<Record<string, string>> = {
  LANG: 'C.UTF-8',
  PYTHONHASHSEED: '0',
  // Each thread's own would reserve 64 MB of the address space that is an agent's memory, and hold next to nothing.
  MALLOC_ARENA_MAX: '1',
};

/**
 * Isolated from folders and packages of the machine, and writing no compiled files. Not `-I`, which would
 * ignore our own variables too: those of the machine are gone where a box is begun.
 */
export function pythonArguments({ python, argument }: SandboxPlan): readonly string[] {
  return [python.path, '-s', '-P', '-S', '-B', `${insideFolder}/runner.py`, argument];
}

/** As another user, where we are root: its files, processes and signals are none of ours. */
export function asUser(
  userId: number | undefined,
  command: readonly [string, ...string[]],
): Pick<SandboxCommand, 'args' | 'command'> {
  if (userId === undefined) return { command: command[0], args: command.slice(1) };
  const own = [`--reuid=${userId}`, `--regid=${userId}`, '--clear-groups', '--no-new-privs'];
  return { command: 'setpriv', args: [...own, '--', ...command] };
}
