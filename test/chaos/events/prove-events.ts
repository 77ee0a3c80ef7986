/**
 * `npm run proof:events`: the public feed and the webhooks while whoever listens has a bad line and
 * the service's processes are killed and frozen. Ends with code 1 when anybody missed an event, had one
 * twice or out of order, or was told what nobody may know yet; and when nothing was proved.
 */
import { lineOf } from '../../commands/command-line.ts';
import { proofEventsCommand } from '../../commands/proof-commands.ts';
import { tryEvents } from './event-trial.ts';

const { minutes, seed, listeners, webhooks, validators } = lineOf(proofEventsCommand);
const say = (text: string) => console.log(text);

say(`${listeners} listeners, ${webhooks} webhooks, ${minutes} min, seed ${seed}`);
const startedMs = performance.now();
const { flaws, counts } = await tryEvents({
  ...{ seed, listeners, validators, hooks: webhooks },
  durationMs: minutes * 60_000,
  faultEveryMs: 5_000,
  raceEveryMs: 4_000,
  terms: { codeMs: 20_000, embargoMs: 8_000 },
  say: (line) => say(`  ${new Date().toISOString()} ${line}`),
});
say('');
for (const [name, count] of Object.entries(counts)) say(`  ${name.padEnd(40)} ${count}`);
say(`  ${'seconds'.padEnd(40)} ${Math.round((performance.now() - startedMs) / 1_000)}`);

const needed = [
  'told: race-completed',
  'told: code-released',
  'processes killed',
  'streams frozen',
];
const missing = needed.filter((name) => (counts[name] ?? 0) === 0);
const wrong = [...flaws, ...missing.map((name) => `nothing was shown: no ${name}`)];
say(wrong.length === 0 ? '\nPROVED: nobody missed an event, had one twice, or too early.' : '');
for (const flaw of wrong) say(`VIOLATED: ${flaw}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
