/**
 * What `npm run ci` runs: everything that is checked without running the product. `npm test` is
 * the other half. All checks run even when one fails, so that one run shows all there is to mend.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules/.bin');

const checks: readonly { title: string; command: readonly string[] }[] = [
  { title: 'types', command: ['tsc', '--noEmit', '-p', '.'] },
  { title: 'format and lint', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { title: 'tidy', command: ['ava', ...globSync('test/tidy/*.test.ts', { cwd: root })] },
  { title: 'dead code', command: ['knip'] },
  // Exports that only tests read are fine; files and packages that only tests need are not.
  {
    title: 'dead code in production',
    command: ['knip', '--production', '--exclude', 'exports,types'],
  },
];

const failed: string[] = [];
for (const { title, command } of checks) {
  console.log(`\n── ${title}: ${command.slice(0, 2).join(' ')}`);
  const startedMs = performance.now();
  const passed = await succeeds(command);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`── ${title}: ${passed ? 'passed' : 'FAILED'} in ${seconds} s`);
  if (!passed) failed.push(title);
}
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function succeeds([name = '', ...args]: readonly string[]): Promise<boolean> {
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(':') };
  const child = spawn(join(bin, name), args, {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}
