/**
 * `npm run proof:signatures`: our verdict on so many mutated signatures, keys and messages beside that
 * of wasm-crypto alone. Ends with code 1 when two differ, or the quick library died of what we show it.
 */
import { lineOf } from '../../commands/command-line.ts';
import { proofSignaturesCommand } from '../../commands/proof-commands.ts';
import { compareLibraries } from './compare-libraries.ts';

const { seed, count } = lineOf(proofSignaturesCommand);

const startedMs = Date.now();
const { good, traps, trapsOfTrusting, differences } = await compareLibraries(seed, count);
const seconds = Math.round((Date.now() - startedMs) / 1000);
for (const difference of differences) console.log(`\n${difference}`);
console.log(
  `seed ${seed}: ${count} claims in ${seconds} s, ${good} of them good; ` +
    `${differences.length} verdicts differ; the quick library died ${traps} times, ` +
    `and ${trapsOfTrusting} times where it was shown every tenth claim unproved`,
);
const isProved = differences.length === 0 && traps === 0;
console.log(isProved ? 'PROVED: the same verdict as wasm-crypto, every time.' : 'NOT PROVED');
process.exitCode = isProved ? 0 : 1;
