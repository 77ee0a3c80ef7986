import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { runWithin } from './run-within.ts';
import { temporaryFolder } from './temporary-servers.ts';
import { until } from './until.ts';

const run = (script: string, limitMs: number) =>
  runWithin({
    ...{ command: process.execPath, args: ['-e', script], limitMs },
    ...{ cwd: import.meta.dirname, env: process.env },
  });

test('a command that ends in time says how', async (t) => {
  t.deepEqual(await run('process.exit(2)', 30_000), { kind: 'ended', code: 2 });
});

test('a command that hangs is ended with what it started, and said to be late', async (t) => {
  const file = join(await temporaryFolder(), 'pid');
  const script = `
    const { spawn } = require('node:child_process');
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid));
    setInterval(() => undefined, 1_000);`;

  // A busy machine may not have begun by then, and is given longer.
  for (let limitMs = 2_000; !existsSync(file) && limitMs < 60_000; limitMs *= 2) {
    t.deepEqual(await run(script, limitMs), { kind: 'late' });
  }

  const pid = Number(await readFile(file, 'utf8'));
  await until(() => isGone(pid));
  t.pass();
});

function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}
