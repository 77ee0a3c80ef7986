import { readdir } from 'node:fs/promises';
import { commandLineOf } from '../../infra/local/process-facts.ts';

/** The command lines, on this machine, in which the mark stands. */
export async function processesWith(mark: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(pids.map(commandLineOf));
  return lines.filter((line) => line.includes(mark));
}
