import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createPythonJudge } from '../../../infra/python/cpython/python-judge.ts';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';
import { bombs } from '../../infra/python/bombs.ts';

export interface BombCost {
  readonly name: string;
  readonly judged: string;
  readonly verdict: string;
  /** Processor time and memory of CPython's process, as Linux counts them. */
  readonly cpuMs: number;
  readonly grownMiB: number;
  /** The next honest file, after both. */
  readonly nextIsJudged: boolean;
}

const honest = Buffer.from('x = 1\n');

/** Every bomb, once at CPython's process alone and once at the whole analyser. */
export async function* bombCosts(deadlineMs: number): AsyncGenerator<BombCost> {
  const judge = createPythonJudge({ deadlineMs, clock: systemClock });
  const analyser = createCodeAnalyser({ deadlineMs });
  try {
    for (const [name, code] of Object.entries(bombs)) {
      // A fresh process each, so that the growth is this file's.
      await judge.rest();
      await judge.judge(honest);
      const file = Buffer.from(code);
      const watch = watched(judge.pid());
      const judgement = await judge.judge(file);
      const cost = await watch();
      const verdict = await analyser.analyse(file);
      const next = [await judge.judge(honest), await analyser.analyse(honest)];
      yield {
        ...{ name, verdict: 'detail' in verdict ? verdict.detail : verdict.kind, ...cost },
        judged: 'what' in judgement ? `exhausted ${judgement.what}` : judgement.kind,
        nextIsJudged: next[0]?.kind === 'parses' && next[1]?.kind === 'clean',
      };
    }
  } finally {
    await Promise.all([judge.rest(), analyser.stop()]);
  }
}

/** The most that was seen of a process, which may have ended by the time it is asked for. */
function watched(pid: number | undefined) {
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
