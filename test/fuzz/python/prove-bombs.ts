import { analysisMs } from '../../../infra/python/python-analyser.ts';
import { composedAgents } from '../../infra/python/honest/agents.ts';
import { type AnalysedBomb, analysedBombs, type Cost, judgeHonest } from './bomb-costs.ts';

// Processor time of a whole process: the thread that reads may use 2 s, the engine's own threads
// collect its garbage meanwhile, and a thread that is killed ends.
const processorMsMax = analysisMs + 1000;
const growthMiBMax = 256;
// On the wall clock a thread that is killed is part of the time. It says something of a bomb only
// when the processors did little else: elsewhere it is printed and not judged.
const wallMsMax = analysisMs + 500;
const othersShareMax = 0.1;

/** Prints what each bomb costs an edge. True when each is refused within its bounds. */
export async function proveBombs(names?: readonly string[]): Promise<boolean> {
  const seen: AnalysedBomb[] = [];
  const beyond: string[] = [];
  await judgeHonest(composedAgents(60).at(-1)?.file ?? Buffer.of());
  for await (const bomb of analysedBombs(names)) {
    seen.push(bomb);
    if (!isBounded(bomb)) beyond.push(bomb.name);
    console.log(`${isBounded(bomb) ? 'ok ' : 'NO '} ${described(bomb)}`);
  }
  const most = (of: (bomb: AnalysedBomb) => number): number => Math.max(...seen.map(of));
  console.log(
    `${seen.length} bombs, ours + CPython's: at most ${most(({ ours }) => ours.cpuMs)} + ${most(({ cpython }) => cpython.cpuMs)} ms of processors, ` +
      `${most(({ ours }) => ours.grownMiB)} + ${most(({ cpython }) => cpython.grownMiB)} MiB; ` +
      `${seen.filter(isUndisturbed).length} of them undisturbed, within ${most((bomb) => (isUndisturbed(bomb) ? bomb.wallMs : 0))} ms; ` +
      `beyond their bounds: ${beyond.join(', ') || 'none'}`,
  );
  return beyond.length === 0;
}

function described({ name, ours, cpython, wallMs, othersShare, verdict }: AnalysedBomb): string {
  const others = Math.round(othersShare * 100);
  return (
    `${name}: of processors ${ours.cpuMs} + ${cpython.cpuMs} ms, ${ours.grownMiB} + ${cpython.grownMiB} MiB, ` +
    `${wallMs} ms (others used ${others} % of the machine): ${verdict}`
  );
}

const isUndisturbed = ({ othersShare }: AnalysedBomb) => othersShare <= othersShareMax;

function isBounded(bomb: AnalysedBomb): boolean {
  const { ours, cpython, wallMs, nextIsJudged } = bomb;
  const isCheap = ({ cpuMs, grownMiB }: Cost) =>
    cpuMs <= processorMsMax && grownMiB <= growthMiBMax;
  const isInTime = !isUndisturbed(bomb) || wallMs <= wallMsMax;
  return nextIsJudged && isCheap(ours) && isCheap(cpython) && isInTime;
}
