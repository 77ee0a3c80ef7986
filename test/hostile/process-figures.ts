import { readdir, readFile } from 'node:fs/promises';

export interface ProcessFigures {
  readonly residentMiB: number;
  readonly descriptors: number;
}

/** What Linux says of a process; undefined where there is no /proc, or no such process. */
export async function figuresOf(pid: number): Promise<ProcessFigures | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const kib = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    const descriptors = (await readdir(`/proc/${pid}/fd`)).length;
    return { residentMiB: Math.round(kib / 1024), descriptors };
  } catch {
    return undefined;
  }
}
