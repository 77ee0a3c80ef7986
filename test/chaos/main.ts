/**
 * `npm run chaos -- --minutes 10 --seed N`: the service as it really runs, with a proxy of ours on
 * every line, honest clients with the habits of real ones, and a fault every few seconds. Ends with
 * code 1 when anything is violated, and with 2 when too little came about to show anything.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runFacts } from '../support/run-facts.ts';
import { runChaos, usualChaos } from './chaos.ts';
import { describeFault, faultPlan } from './faults/fault-plan.ts';
import { reportLines } from './report.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    edges: { type: 'string', default: String(usualChaos.edges) },
    coordinators: { type: 'string', default: String(usualChaos.coordinators) },
    validators: { type: 'string', default: String(usualChaos.validators) },
    miners: { type: 'string', default: String(usualChaos.miners) },
    /** Lifecycles begun per second. */
    rate: { type: 'string', default: String(usualChaos.perSecond) },
    /** A file for the report as JSON. */
    report: { type: 'string' },
    /** The evidence, also of a good run. */
    keep: { type: 'boolean', default: false },
    /** Shows the faults of the seed and does nothing. */
    plan: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const seconds = Number(values.minutes) * 60;
const edges = Number(values.edges);
const coordinators = Number(values.coordinators);

process.exitCode = values.plan ? showPlan() : await run();

function showPlan(): number {
  for (const fault of faultPlan({ seed, edges, coordinators })) {
    if (fault.atMs > seconds * 1000) break;
    console.log(describeFault(fault));
  }
  return 0;
}

async function run(): Promise<number> {
  const { NODE_OPTIONS } = process.env;
  const report = await runChaos({
    ...{ seed, seconds, edges, coordinators },
    validators: Number(values.validators),
    miners: Number(values.miners),
    perSecond: Number(values.rate),
    env: NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS },
    say: (line) => console.log(line),
    isKept: values.keep,
  });
  console.log(`\n${reportLines(report).join('\n')}\n${runFacts()}`);
  if (values.report !== undefined) {
    await writeFile(values.report, `${JSON.stringify(report, null, 2)}\n`);
  }
  return { PROVED: 0, VIOLATED: 1, VOID: 2 }[report.verdict];
}
