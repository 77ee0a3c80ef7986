import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChaosWorld } from './chaos-world.ts';

export interface ToldByLogs {
  /** Pids of processes that said so. */
  readonly ready: ReadonlySet<number>;
  /** Defects that an edge had while it answered, whoever was to be answered. */
  readonly failedRequests: readonly string[];
}

/** What the processes of a world wrote down of themselves, over all of their lives. */
export async function toldByLogs({
  dataDir,
  processes,
}: Pick<ChaosWorld, 'dataDir' | 'processes'>): Promise<ToldByLogs> {
  const pages = await Promise.all(
    processes.map(({ name }) => readFile(join(dataDir, 'logs', `${name}.log`), 'utf8')),
  );
  const lines = pages.flatMap((page) => page.split('\n'));
  // Not parsed: whoever is killed leaves half a line, and the next process goes on behind it.
  const ready = lines.flatMap((line) => /"message":"ready".*?"pid":(\d+)/.exec(line)?.[1] ?? []);
  return {
    ready: new Set(ready.map(Number)),
    failedRequests: lines.filter(
      (line) => line.includes('"message":"a request failed"') && line.includes('"INTERNAL_ERROR"'),
    ),
  };
}
