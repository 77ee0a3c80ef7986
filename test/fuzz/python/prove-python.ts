/**
 * `npm run proof:python`: the analyser against CPython 3.11, on so many files made at random (any
 * bytes, mutated samples, programs from the grammar, their words in another order), on CPython's own
 * library, and on every bomb. Ends with code 1 when a verdict or a tree differs, or a bomb costs
 * more than it may.
 */
import { parseArgs } from 'node:util';
import { startCPython } from '../../support/cpython.ts';
import { bombCosts } from './bomb-costs.ts';
import { fuzzPython } from './fuzz-python.ts';
import { sampleFiles } from './samples.ts';
import { standardLibrary } from './standard-library.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
});

const python = startCPython();
const library = await standardLibrary(python);
await python.dispose();
const samples = [...sampleFiles, ...library];
const startedMs = Date.now();
const report = await fuzzPython({
  seed: Number(values.seed),
  count: samples.length + Number(values.count),
  samples,
  onDifference: (difference) => console.log(`\n${difference}`),
});
const seconds = Math.round((Date.now() - startedMs) / 1000);
console.log(
  `seed ${values.seed}: ${report.files} files (${library.length} of the standard library) in ${seconds} s; ` +
    `CPython compiled ${report.compiled}; ${report.readByUsAlone} were refused by CPython alone; ` +
    `${report.differences.length} differences`,
);

let costly = 0;
for await (const { name, judged, verdict, cpuMs, grownMiB, nextIsJudged } of bombCosts(2000)) {
  // Processor time is looked at now and then, so a file may overrun by a little.
  const isBounded = cpuMs <= 2500 && grownMiB <= 256 + 32 && nextIsJudged;
  if (!isBounded) costly += 1;
  console.log(
    `${isBounded ? 'ok ' : 'NO '} ${name}: ${judged}, ${cpuMs} ms, ${grownMiB} MiB: ${verdict}`,
  );
}
const isProved = report.differences.length === 0 && costly === 0;
console.log(isProved ? 'PROVED: what we read is what CPython runs.' : 'NOT PROVED');
process.exitCode = isProved ? 0 : 1;
