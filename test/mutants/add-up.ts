/** Prints the units of a race that pays three, as a process and a thread of it add them up. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { splitEmission } from '../../machines/emission/split.ts';

const survivors = ['a', 'b', 'c'].map((minerHotkey) => {
  return { agentVersionId: minerHotkey, minerHotkey, rawScore: '0.5000' };
});
const [top = null] = survivors;
const parts = splitEmission({ burnRateMicro: 300_000, top, survivors });
const inProcess = String(parts.reduce((sum, { units }) => sum + BigInt(units), 0n));

if (isMainThread) {
  const [inThread] = await once(new Worker(new URL(import.meta.url)), 'message');
  console.log(JSON.stringify({ inProcess, inThread }));
} else {
  parentPort?.postMessage(inProcess);
}
