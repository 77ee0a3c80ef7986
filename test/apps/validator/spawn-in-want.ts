/** Runs an agent where no descriptor is left for its pipes, and prints how that ended. */
import { closeSync, openSync } from 'node:fs';
import { runAgent } from '../../../apps/validator/sandbox/run-agent.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { trialLimits } from './try-sandbox.ts';

const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  closeSync(taken.pop() ?? -1);
}
const ending = runAgent({
  command: { command: '/bin/true', args: [], inputs: [Buffer.from('file')] },
  limits: trialLimits,
  problem: {},
  onCall: () => ({ result: null }),
  clock: systemClock,
  signal: new AbortController().signal,
});
const { reason, detail } = await ending.finally(() => taken.forEach(closeSync));
console.log(JSON.stringify({ reason, detail }));
