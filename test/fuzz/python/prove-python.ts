/**
 * `npm run proof:python`: the analyser against CPython 3.11, on so many files made at random (any
 * bytes, mutated samples, programs from the grammar, their words in another order), on CPython's own
 * library, and on every bomb (`--bombs`: on these alone; `--only NAME`: on that one). Ends with code 1 when a verdict or a tree
 * differs, or a bomb costs an edge more than it may.
 */
import { lineOf } from '../../commands/command-line.ts';
import { proofPythonCommand } from '../../commands/proof-commands.ts';
import { startCPython } from '../../support/cpython.ts';
import { fuzzPython } from './fuzz-python.ts';
import { proveBombs } from './prove-bombs.ts';
import { sampleFiles } from './samples.ts';
import { standardLibrary } from './standard-library.ts';

const values = lineOf(proofPythonCommand);

const bombsAlone = values.bombs || values.only !== undefined;
const isSame = bombsAlone || (await compareWithCPython());
const isBounded = await proveBombs(values.only);
const what = bombsAlone ? 'no bomb costs more than it may.' : 'what we read is what CPython runs.';
console.log(isSame && isBounded ? `PROVED: ${what}` : 'NOT PROVED');
process.exitCode = isSame && isBounded ? 0 : 1;

async function compareWithCPython(): Promise<boolean> {
  const python = startCPython();
  const library = await standardLibrary(python);
  await python.dispose();
  const samples = [...sampleFiles, ...library];
  const startedMs = Date.now();
  const report = await fuzzPython({
    seed: values.seed,
    count: samples.length + values.count,
    samples,
    onDifference: (difference) => console.log(`\n${difference}`),
  });
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  console.log(
    `seed ${values.seed}: ${report.files} files (${library.length} of the standard library) in ${seconds} s; ` +
      `CPython compiled ${report.compiled}; ${report.readByUsAlone} were refused by CPython alone; ` +
      `${report.differences.length} differences`,
  );
  return report.differences.length === 0;
}
