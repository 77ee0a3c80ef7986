import { analysisMs } from '../../../infra/python/python-analyser.ts';
import { type AnalysedBomb, analysedBombs } from './bomb-costs.ts';

// A thread that is killed and replaced is part of the time. On the wall clock, which on a machine that
// does nothing else is the processor time that bounds a file; on a busy one this proof fails.
const overrunMs = 500;
const growthMiBMax = 256;

/** Prints what each bomb costs an edge. True when each is refused within its bounds. */
export async function proveBombs(names?: readonly string[]): Promise<boolean> {
  const seen: AnalysedBomb[] = [];
  const beyond: string[] = [];
  for await (const bomb of analysedBombs(names)) {
    seen.push(bomb);
    if (!isBounded(bomb)) beyond.push(bomb.name);
    const { name, ours, cpython, wallMs, verdict } = bomb;
    console.log(
      `${isBounded(bomb) ? 'ok ' : 'NO '} ${name}: ${wallMs} ms, of processors ${ours.cpuMs} + ${cpython.cpuMs} ms, ` +
        `${ours.grownMiB} + ${cpython.grownMiB} MiB: ${verdict}`,
    );
  }
  console.log(
    `${seen.length} bombs, ours + CPython's: at most ${most(seen, ({ ours }) => ours.cpuMs)} + ${most(seen, ({ cpython }) => cpython.cpuMs)} ms of a processor, ` +
      `${most(seen, ({ wallMs }) => wallMs)} ms in all, ` +
      `${most(seen, ({ ours }) => ours.grownMiB)} + ${most(seen, ({ cpython }) => cpython.grownMiB)} MiB; beyond their bounds: ${beyond.join(', ') || 'none'}`,
  );
  return beyond.length === 0;
}

function isBounded({ ours, cpython, wallMs, nextIsJudged }: AnalysedBomb): boolean {
  const grownMiB = Math.max(ours.grownMiB, cpython.grownMiB);
  return nextIsJudged && wallMs <= analysisMs + overrunMs && grownMiB <= growthMiBMax;
}

const most = (seen: readonly AnalysedBomb[], of: (bomb: AnalysedBomb) => number): number =>
  Math.max(...seen.map(of));
