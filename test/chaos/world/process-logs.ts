import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChaosWorld } from './chaos-world.ts';

export interface ToldByLogs {
  /** Pids of processes that said so. */
  readonly ready: ReadonlySet<number>;
  /** Defects that an edge had while it answered, whoever was to be answered. */
  readonly failedRequests: readonly string[];
  /** When a process gave up its connection to the broker, by its pid. Unix milliseconds. */
  readonly gaveUpBroker: ReadonlyMap<number, number>;
  /** What is said of a database that went back in time; here none does. */
  readonly lostHistory: readonly string[];
  /** When a coordinator moved the ends of all leases since an edge let callers in late. Unix ms. */
  readonly movedEnds: readonly number[];
}

/** As `actors/runtime/edge-watch.ts`, `infra/nats/connect.ts` and `infra/history/history-watch.ts` word it. */
const givenUp = '"message":"the connection to the broker is closed for good"';
const wentBack = '"message":"THE DATABASE WENT BACK IN TIME';
const moved = '"message":"callers wait at an edge"';

/** What the processes of a world wrote down of themselves, over all of their lives. */
export async function toldByLogs({
  dataDir,
  processes,
}: Pick<ChaosWorld, 'dataDir' | 'processes'>): Promise<ToldByLogs> {
  const pages = await Promise.all(
    processes.map(({ name }) => readFile(join(dataDir, 'logs', `${name}.log`), 'utf8')),
  );
  const logs = pages.map((page) => page.split('\n'));
  const lines = logs.flat();
  // Not parsed: whoever is killed leaves half a line, and the next process goes on behind it.
  const ready = lines.flatMap((line) => pidOfReady(line) ?? []);
  return {
    ready: new Set(ready.map(Number)),
    failedRequests: lines.filter(
      (line) => line.includes('"message":"a request failed"') && line.includes('"INTERNAL_ERROR"'),
    ),
    gaveUpBroker: new Map(logs.flatMap(givenUpBy)),
    lostHistory: lines.filter((line) => line.includes(wentBack)),
    movedEnds: lines.filter((line) => line.includes(moved)).map(timeOf),
  };
}

/** One log has the processes of a name one after another: each says that it is ready, and its pid. */
function givenUpBy(lines: readonly string[]): readonly (readonly [pid: number, atMs: number])[] {
  let pid = Number.NaN;
  return lines.flatMap((line) => {
    pid = Number(pidOfReady(line) ?? pid);
    if (!line.includes(givenUp)) return [];
    return [[pid, timeOf(line)] as const];
  });
}

/** Of the entry that a line ends with; Unix milliseconds. */
function timeOf(line: string): number {
  const [, time = ''] = /.*"time":"([^"]+)".*?"message"/.exec(line) ?? [];
  return Date.parse(time);
}

function pidOfReady(line: string): string | undefined {
  return /"message":"ready".*?"pid":(\d+)/.exec(line)?.[1];
}
