/** A hundred honest agents: those in `agents/`, written by hand, and those composed from a seed. */
import { readdirSync, readFileSync } from 'node:fs';
import { Dice } from '../../../fuzz/dice.ts';
import { Writer } from './writer.ts';

export interface HonestAgent {
  readonly name: string;
  readonly file: Uint8Array;
}

const folder = new URL('./agents/', import.meta.url);

export function writtenAgents(): HonestAgent[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.py'))
    .toSorted()
    .map((name) => ({ name, file: readFileSync(new URL(name, folder)) }));
}

const smallest = 1_000;
const largest = 900_000;

/** From 1 kB to 900 kB, each larger than the one before by the same factor. */
export function composedAgents(count: number): HonestAgent[] {
  const modules = writtenAgents()
    .map(({ file }) => Buffer.from(file).toString())
    .filter(canFollow);
  return Array.from({ length: count }, (_, index) => {
    const size = Math.round(smallest * (largest / smallest) ** (index / (count - 1)));
    const text = compose(modules, new Dice(index), new Writer(index), size);
    return { name: `composed ${index}, ${size} bytes`, file: Buffer.from(text) };
  });
}

/**
 * May a module stand behind others? Not with a byte order mark, `__future__` or CR line ends, nor
 * one that a rule on pairs of uses would refuse in one file with another agent's habits.
 */
function canFollow(text: string): boolean {
  return (
    !text.startsWith('\ufeff') &&
    !text.includes('\r') &&
    !/from __future__|^# Stands alone\.$/m.test(text)
  );
}

function compose(modules: readonly string[], dice: Dice, writer: Writer, size: number): string {
  const head = '"""An agent of many parts."""\nimport json\n\n';
  const last = '\n\ndef agent_main(problem, find):\n    return find(problem["goal_text"])[:1]\n';
  const parts = [head];
  let left = size - Buffer.byteLength(head + last);
  for (let tries = 0; tries < 20; tries += 1) {
    const part = dice.chance(0.2) ? (dice.pick(modules) ?? '') : writer.block();
    const bytes = Buffer.byteLength(part) + 2;
    if (bytes > left) continue;
    parts.push(part, '\n\n');
    left -= bytes;
    tries = 0;
  }
  return `${parts.join('')}#${' '.repeat(Math.max(0, left - 1))}${last}`;
}
