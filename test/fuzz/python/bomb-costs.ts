import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { leaseJudge } from '../../../infra/python/cpython/shared-judge.ts';
import { analysisMs, createCodeAnalyser } from '../../../infra/python/python-analyser.ts';
import { bombs } from '../../infra/python/bombs.ts';

const honest = Buffer.from('x = 1\n');

export interface AnalysedBomb {
  readonly name: string;
  readonly verdict: string;
  readonly wallMs: number;
  /** Processor time and peak memory of our process and of CPython's. */
  readonly ours: Cost;
  readonly cpython: Cost;
  readonly nextIsJudged: boolean;
  /** What part of the machine's processors other processes used meanwhile. */
  readonly othersShare: number;
}

export interface Cost {
  readonly cpuMs: number;
  readonly grownMiB: number;
}

/**
 * The bombs of these names through the lanes of an edge, with the bound of an edge.
 */
export async function* analysedBombs(
  names: readonly string[] = Object.keys(bombs),
): AsyncGenerator<AnalysedBomb> {
  for (const name of names) {
    // Fresh threads and a fresh CPython each, so that the growth is this file's.
    const analyser = createCodeAnalyser();
    const judge = leaseJudge(analysisMs);
    try {
      await analyser.analyse(honest);
      const file = Buffer.from(bombs[name] ?? '');
      const [ours, cpython] = [watched(process.pid), watched(judge.pid())];
      const busyBefore = busyMs();
      const startedAt = performance.now();
      const verdict = await analyser.analyse(file).then(
        (said) => ('detail' in said ? said.detail : said.kind),
        (error: unknown) => String(error),
      );
      const wallMs = Math.round(performance.now() - startedAt);
      const busy = busyMs() - busyBefore;
      const costs = { ours: await ours(), cpython: await cpython() };
      const others = busy - costs.ours.cpuMs - costs.cpython.cpuMs;
      const othersShare = Math.max(0, others) / (wallMs * availableParallelism());
      const next = await analyser.analyse(honest);
      yield { name, verdict, wallMs, ...costs, othersShare, nextIsJudged: next.kind === 'clean' };
    } finally {
      await Promise.all([analyser.stop(), judge.release()]);
    }
  }
}

/** The first large file that a process sees has the engine optimise ruff: that is no bomb's time. */
export async function judgeHonest(file: Uint8Array): Promise<void> {
  const analyser = createCodeAnalyser({ deadlineMs: analysisMs * 10 });
  try {
    await analyser.analyse(file);
  } finally {
    await analyser.stop();
  }
}

/** The most that was seen of a process, which may have ended by the time it is asked for. */
function watched(pid: number | undefined) {
  forgetPeak(pid);
  const first = seen(pid);
  let last = first;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      last = seen(pid) ?? last;
      await sleep(20, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    last = seen(pid) ?? last;
    over.abort();
    await watching;
    return {
      cpuMs: (last?.cpuMs ?? 0) - (first?.cpuMs ?? 0),
      grownMiB: Math.round(((last?.peakKiB ?? 0) - (first?.peakKiB ?? 0)) / 1024),
    };
  };
}

/** What all processors of the machine did so far; the time that a hypervisor took is others' too. */
function busyMs(): number {
  const [, user, nice, system, , , irq, softIrq, steal] = readFileSync('/proc/stat', 'utf8')
    .split(/\s+/, 9)
    .map(Number);
  const ticks = [user, nice, system, irq, softIrq, steal];
  return ticks.reduce<number>((sum, each) => sum + (each ?? 0), 0) * 10;
}

/** From here on Linux counts the peak anew. */
function forgetPeak(pid: number | undefined): void {
  if (pid !== undefined) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function seen(pid: number | undefined): { cpuMs: number; peakKiB: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (peak === undefined) return null;
    // User and system time, in hundredths of a second.
    return { cpuMs: (Number(stat[11]) + Number(stat[12])) * 10, peakKiB: Number(peak) };
  } catch {
    return null;
  }
}
