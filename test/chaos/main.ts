/**
 * `npm run chaos -- --minutes 10 --seed N`: the service as it really runs, with a proxy of ours on
 * every line, honest clients with the habits of real ones, and a fault every few seconds. Ends with
 * code 1 when anything is violated, and with 2 when too little came about to show anything.
 */
import { writeFile } from 'node:fs/promises';
import { chaosCommand } from '../commands/chaos-command.ts';
import { lineOf } from '../commands/command-line.ts';
import { runFacts } from '../support/run-facts.ts';
import { runChaos } from './chaos.ts';
import { describeFault, faultPlan } from './faults/fault-plan.ts';
import { reportLines } from './report.ts';
import { missingRelease } from './world/rollout.ts';

const values = lineOf(chaosCommand);
const { seed, edges, coordinators } = values;
const seconds = values.minutes * 60;

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
  const missing = values.from === undefined ? undefined : missingRelease(values.from);
  if (missing !== undefined) {
    console.error(missing);
    return 2;
  }
  const report = await runChaos({
    ...{ seed, seconds, edges, coordinators },
    validators: values.validators,
    miners: values.miners,
    perSecond: values.rate,
    from: values.from,
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
