import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Program and arguments joined by spaces; empty when there is no such process. */
export async function commandLineOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return await ps(pid, 'args');
  return (await readOrEmpty(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ').trim();
}

export async function parentOf(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Number(await ps(pid, 'ppid'));
  // The program's name, in parentheses, may itself hold spaces and parentheses.
  const stat = await readOrEmpty(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/**
 * When it started, and in which boot: no other process that ever has its number did so then. Empty where
 * nothing tells.
 */
export async function startOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return await ps(pid, 'lstart');
  const stat = await readOrEmpty(`/proc/${pid}/stat`);
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const boot = (await readOrEmpty('/proc/sys/kernel/random/boot_id')).trim();
  return ticks === undefined || boot === '' ? '' : `${boot} ${ticks}`;
}

async function readOrEmpty(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

async function ps(pid: number, column: 'args' | 'lstart' | 'ppid'): Promise<string> {
  try {
    // An instant in one language and one zone, whoever asks; arguments as they are.
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = await run('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], {
      ...(column === 'lstart' && { env }),
    });
    return stdout.trim();
  } catch {
    return '';
  }
}
