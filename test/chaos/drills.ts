/**
 * `npm run drills [-- --only NAME]`: every fault of RUNBOOK.md that can be made here, in a service of
 * real processes: an operator must see what the page says, and its steps must bring the service back.
 * Ends with code 1 when a drill fails.
 */
import { lineOf } from '../commands/command-line.ts';
import { drillsCommand } from '../commands/drills-command.ts';
import type { Drill } from './drills/drill.ts';
import { type DrillWorld, startDrillWorld } from './drills/drill-world.ts';
import { everyDrill } from './drills/every-drill.ts';
import { names, readRunbook, sectionsOf } from './drills/runbook.ts';

const values = lineOf(drillsCommand);
const only = values.only ?? everyDrill.map(({ name }) => name);
const unknown = only.filter((name) => everyDrill.every((drill) => drill.name !== name));
const sections = sectionsOf(readRunbook());

if (unknown.length > 0) {
  console.error(
    `There are no drills ${unknown.join(', ')}, but ${everyDrill.map(({ name }) => name).join(', ')}`,
  );
  process.exitCode = 2;
} else {
  const possible = await possibleOf(everyDrill.filter(({ name }) => only.includes(name)));
  const failed = await runAll(possible);
  const passed = `all ${possible.length} that were tried passed`;
  console.log(failed.length === 0 ? `\n${passed}` : `\nFAILED: ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** Says of the others why they are not tried. */
async function possibleOf(drills: readonly Drill[]): Promise<readonly Drill[]> {
  const possible: Drill[] = [];
  for (const drill of drills) {
    const why = await drill.whyNot?.();
    if (why === undefined) possible.push(drill);
    else console.log(`not tried         ${drill.name}: ${why}`);
  }
  return possible;
}

/** In one world after another: a failed drill leaves a service that nobody knows. */
async function runAll(drills: readonly Drill[]): Promise<readonly string[]> {
  const failed: string[] = [];
  const left = [...drills];
  while (left.length > 0) {
    await using world = await startDrillWorld();
    for (let drill = left.shift(); drill !== undefined; drill = left.shift()) {
      if (await passes(drill, world)) continue;
      failed.push(drill.name);
      break;
    }
  }
  return failed;
}

async function passes(drill: Drill, world: DrillWorld): Promise<boolean> {
  const startMs = performance.now();
  const seconds = () => `${((performance.now() - startMs) / 1000).toFixed(1)} s`.padStart(8);
  try {
    await world.panel.seesAllWell();
    await world.panel.begin();
    await drill.run(world);
    await world.panel.seesAllWell();
    const unsaid = unsaidOf(drill, world);
    if (unsaid.length > 0) throw new Error(`RUNBOOK.md does not say there: ${unsaid.join(' · ')}`);
    console.log(`passed ${seconds()}  ${drill.name}`);
    return true;
  } catch (error) {
    console.log(`FAILED ${seconds()}  ${drill.name}: ${String(error)}`);
    return false;
  }
}

/** What the drill looked at, and the page does not tell an operator to look at. */
function unsaidOf({ name }: Drill, { panel }: DrillWorld): readonly string[] {
  const section = sections.find(({ drills }) => drills.includes(name));
  if (section === undefined) return [`a section with --only ${name}`];
  return [...panel.names].filter((each) => !names(section, each));
}
