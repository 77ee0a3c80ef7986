/**
 * `npm run chaos -- --minutes 10 --seed N`: the service as it really runs, with a proxy of ours on
 * every line, honest clients with the habits of real ones, and a fault every few seconds.
 */
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    edges: { type: 'string', default: '3' },
    coordinators: { type: 'string', default: '3' },
    validators: { type: 'string', default: '150' },
    miners: { type: 'string', default: '24' },
    /** Lifecycles begun per second. */
    rate: { type: 'string', default: '8' },
  },
});
const { NODE_OPTIONS } = process.env;
const result = await runChaos({
  seed: Number(values.seed),
  seconds: Number(values.minutes) * 60,
  edges: Number(values.edges),
  coordinators: Number(values.coordinators),
  validators: Number(values.validators),
  miners: Number(values.miners),
  perSecond: Number(values.rate),
  env: NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS },
  say: (line) => console.log(line),
});
for (const text of result.violations) console.log(`  ${text}`);
console.log(result.violations.length === 0 ? 'PROVED' : 'VIOLATED');
process.exitCode = result.violations.length === 0 ? 0 : 1;
