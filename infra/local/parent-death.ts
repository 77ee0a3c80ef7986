import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);
let supported: Promise<boolean> | undefined;

type CommandLine = readonly [command: string, ...args: string[]];

/** The command, wrapped so that the kernel sends `signal` to it when our process dies. */
export async function boundToOurLife(
  commandLine: CommandLine,
  signal: NodeJS.Signals,
): Promise<CommandLine> {
  if (process.platform !== 'linux') return commandLine;
  supported ??= succeeds('setpriv', ['--pdeathsig', 'TERM', '--', 'true']);
  if (!(await supported)) return commandLine;
  return ['setpriv', '--pdeathsig', signal.replace('SIG', ''), '--', ...commandLine];
}

/** Whether a command exists here and ends well: some containers forbid what their tools offer. */
export async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  try {
    await run(command, args);
    return true;
  } catch {
    return false;
  }
}
