/**
 * `npm run proof:evasions -- [MUTANTS] [SEED]`: every evasion and its mutants against the
 * rules, and a sample of the mutants in CPython, where they must still reach what they reach.
 */
import { lineOf } from '../../../commands/command-line.ts';
import { proofEvasionsCommand } from '../../../commands/proof-commands.ts';
import { corpus } from './corpus.ts';
import { tryBoundInFront, tryEvasions, witnessed } from './try-evasions.ts';

const { MUTANTS: mutantsOfEach, SEED: seed } = lineOf(proofEvasionsCommand);
const styles = new Set(corpus.map(({ style }) => style)).size;
const plain = tryEvasions(0, 0);
const mutated = tryEvasions(mutantsOfEach, seed);
const boundInFront = tryBoundInFront();
const outcomes = await witnessed(corpus);
const sample = mutated.mutants.filter((_, index) => index % 17 === seed % 17).slice(0, 400);
const kept = (await witnessed(sample)).filter((outcome) => outcome === 'reached').length;
console.log(`evasions ${corpus.length} in ${styles} styles, accepted ${plain.accepted.length}`);
console.log(`reached in CPython ${outcomes.filter((each) => each === 'reached').length}`);
console.log(`mutants ${mutated.tried} (seed ${seed}), accepted ${mutated.accepted.length}`);
console.log(
  `behind a binding of what they name ${boundInFront.tried}, accepted ${boundInFront.accepted.length}`,
);
console.log(`mutants that kept their meaning, of a sample: ${kept} of ${sample.length}`);
const accepted = [...plain.accepted, ...mutated.accepted, ...boundInFront.accepted];
for (const { id, source } of accepted.slice(0, 20)) console.log(`ACCEPTED ${id}\n${source}`);
if (accepted.length > 0) process.exitCode = 1;
