import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test from 'ava';
import { sandboxKinds } from '../../../apps/validator/sandbox/find-sandbox.ts';
import { processesWith } from '../../support/processes-with.ts';
import { until } from '../../support/until.ts';

// Nobody would ever end it: whoever kills a validator that hangs, or runs out of memory, starts the next one beside it.
for (const [at, kind] of sandboxKinds.entries()) {
  test.serial(`an agent in ${kind} does not outlive a validator that is killed`, async (t) => {
    // By which its processes are known, in a list of all of the machine.
    const memoryBytes = (231 + at) * 1024 ** 2 + process.pid * 4096;
    const left = async () => (await processesWith(`"memory_bytes":${memoryBytes},`)).length;
    const held = spawn(
      process.execPath,
      [join(import.meta.dirname, 'hold-agent.ts'), kind, String(memoryBytes)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    t.teardown(() => held.kill('SIGKILL'));
    const [said] = await once(held.stdout, 'data');
    t.is((await left()) > 0, String(said) === 'begun\n');

    held.kill('SIGKILL');

    await t.notThrowsAsync(until(async () => (await left()) === 0));
  });
}
