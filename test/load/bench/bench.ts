/**
 * `npm run bench`: this service, what people would pick instead, and what the machine can do at all,
 * measured in alternation in one run, and the ratios. Ends with code 1 when something must hold and
 * does not, or when an answer was wrong.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { benchBlocks } from '../../commands/bench-blocks.ts';
import { benchCommand } from '../../commands/bench-commands.ts';
import { lineOf } from '../../commands/command-line.ts';
import { profileServicesInto } from '../../support/profiled.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { machineBusyUs, stolenUs, treeCpuUs } from '../process-cpu.ts';
import type { Block } from './block.ts';
import { everyBlock } from './every-block.ts';
import { measureFloors, wasmCheck } from './floors.ts';
import { Lab } from './lab.ts';
import { writeGraphs } from './profile/write-graphs.ts';
import { repeatedWhileNoisy } from './repeated.ts';
import {
  type BlockReport,
  blockText,
  floorsText,
  machineText,
  pageOf,
  type Report,
  verdictText,
} from './report.ts';

const values = lineOf(benchCommand);
const isQuick = values.quick;
const say = (text: string) => console.log(text);
const roundsOf = { quick: 3, full: 7 };
/** Of a block during which the machine moved; a quick run has no time for it. */
const repeatsMax = 1;
/** Of the run: on a machine that never keeps still there is no end of it otherwise. */
const repeatUntilMs = 300_000;

const startedMs = performance.now();
const startedAt = new Date();
const before = { busy: machineBusyUs(), ours: treeCpuUs(process.pid) ?? 0, stolen: stolenUs() };
const profiles = values.profile && (await profileFolder());
await using lab = new Lab({
  ...{ isQuick, say },
  kills: values.kills,
  history: values.history,
  rounds: values.rounds ?? (isQuick ? roundsOf.quick : roundsOf.full),
});
say('Starting a database, a broker and the service …');
const places = await floorPlaces();
const floorSeconds = lab.sized(0.4, 1.5);
const floorsBefore = await measureFloors(places, floorSeconds);
const blocks: BlockReport[] = [];
const fromUs = monotonicUs();
for (const name of benchBlocks) {
  const block = everyBlock[name];
  const only = values.profile ?? values.only;
  if (only === undefined ? isQuick && !block.isQuick : !only.includes(name)) continue;
  const report = await repeatedWhileNoisy(
    () => runBlock(block),
    isQuick || profiles || performance.now() - startedMs > repeatUntilMs ? 0 : repeatsMax,
  );
  say(`\n${blockText(report)}`);
  blocks.push(report);
}
const span = { fromUs, toUs: monotonicUs() };
const floorsAfter = await measureFloors(places, floorSeconds);
await tell(await reportOf());
if (profiles !== undefined) {
  // A process tells where it spent its time when it ends.
  await lab[Symbol.asyncDispose]();
  const pages = await writeGraphs(profiles, span);
  say(`Profiled, so the figures are too high. In ${profiles}:\n  ${pages.join('\n  ')}`);
}

/** By the clock of V8's profiles. */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Whatever is started from now on is profiled there. */
async function profileFolder(): Promise<string> {
  const parent = values.folder === undefined ? await temporaryFolder() : resolve(values.folder);
  const folder = join(parent, 'profiles');
  await mkdir(folder, { recursive: true });
  profileServicesInto(folder);
  return folder;
}

async function floorPlaces() {
  const { world } = await lab.product();
  const { sql } = await lab.database('floors');
  const asker = await lab.asker();
  return { sql, natsUrl: world.neighbours.natsUrl, folder: world.dataDir, asker };
}

async function runBlock(block: Block): Promise<Omit<BlockReport, 'repeats'>> {
  const blockStartedMs = performance.now();
  const reckoningMs = reckon();
  let figures: BlockReport['figures'] = [];
  let failure: string | undefined;
  try {
    figures = await block.run(lab);
  } catch (error) {
    // One block's trouble is no reason to know nothing of the others.
    failure = String(error);
    if (error instanceof Error && error.name !== 'WrongAnswers') failure = error.stack ?? failure;
  }
  return {
    ...{ name: block.name, figures, plots: lab.takePlots() },
    ...(failure !== undefined && { failure }),
    seconds: (performance.now() - blockStartedMs) / 1000,
    drift: reckon() / reckoningMs,
  };
}

/**
 * How long the same work takes by the clock: others who use the machine make it longer. The best of some
 * stretches, since what a block leaves behind runs on for a moment, and is no change of the machine.
 */
function reckon(): number {
  const check = wasmCheck();
  const stretches = Array.from({ length: 8 }, () => {
    const reckonedMs = performance.now();
    for (let call = 0; call < 60; call += 1) check();
    return performance.now() - reckonedMs;
  });
  return Math.min(...stretches);
}

async function reportOf(): Promise<Report> {
  const { world } = await lab.product();
  const [{ version = '' } = {}] = await world.sql<{ version: string }[]>`
    select current_setting('server_version') as version`;
  const processor = cpus();
  const seconds = (performance.now() - startedMs) / 1000;
  const oursUs = (treeCpuUs(process.pid) ?? 0) - before.ours;
  return {
    at: startedAt.toISOString(),
    ...{ isQuick, rounds: lab.rounds, seconds, blocks },
    floors: { before: floorsBefore, after: floorsAfter },
    machine: {
      processor: processor[0]?.model ?? 'unknown',
      cores: processor.length,
      memoryGib: totalmem() / 2 ** 30,
      node: process.version,
      postgres: version,
      loadAverage: loadavg().map((load) => Number(load.toFixed(1))),
      othersCores: Math.max(0, (machineBusyUs() - before.busy - oursUs) / 1e6 / seconds),
      stolenSeconds: (stolenUs() - before.stolen) / 1e6,
    },
  };
}

async function tell(report: Report): Promise<void> {
  say(`\n${floorsText(report.floors)}`);
  say(`\n${machineText(report)}\n${verdictText(report)}`);
  if (values.folder !== undefined) {
    await mkdir(values.folder, { recursive: true });
    await writeFile(join(values.folder, 'bench.json'), `${JSON.stringify(report, null, 2)}\n`);
    await writeFile(join(values.folder, 'bench.html'), pageOf(report));
    say(`Written to ${join(values.folder, 'bench.html')} and bench.json beside it.`);
  }
  const isFine = blocks.every(
    ({ failure, figures }) =>
      failure === undefined && figures.every(({ tier }) => tier !== 'missed'),
  );
  process.exitCode = isFine ? 0 : 1;
}
