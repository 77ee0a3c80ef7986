import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const hook = new URL('load-hook.ts', import.meta.url).href;
const program = fileURLToPath(new URL('add-up.ts', import.meta.url));

interface Sums {
  readonly inProcess: string;
  readonly inThread: string;
}

async function sums(planted: Readonly<Record<string, string>>): Promise<Sums> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, NODE_OPTIONS: `--import=${hook}`, ...planted },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as Sums;
}

const whole = '1000000000000000000';

test('without the name of a defect everything is as it is written', async (t) => {
  t.deepEqual(await sums({}), { inProcess: whole, inThread: whole });
});

test('a named defect is in the memory of a process and of its threads', async (t) => {
  const { inProcess, inThread } = await sums({ PADDOCK_PLANTED: 'remainder-lost' });
  t.not(inProcess, whole);
  t.is(inThread, inProcess);
});
