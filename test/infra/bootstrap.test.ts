import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemEnv } from '../support/system-env.ts';

const bootstrap = join(import.meta.dirname, '../../infra/bootstrap.mjs');

interface Outcome {
  readonly code: number;
  readonly output: string;
}

function run(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bootstrap, folder], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

/** A package that npm installs without asking a registry, as long as nothing is added to it. */
async function packageOf(t: ExecutionContext, added: string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-bootstrap-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const own = { name: 'p', version: '1.0.0' };
  const manifest = {
    ...own,
    optionalDependencies: Object.fromEntries(added.map((name) => [name, '1.0.0'])),
  };
  const modules = added.map((name) => [
    `node_modules/${name}`,
    { version: '1.0.0', optional: true },
  ]);
  const packages = { '': manifest, ...Object.fromEntries(modules) };
  const lock = { ...own, lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  return folder;
}

test('the first run installs and says so, the second is silent', async (t) => {
  const folder = await packageOf(t);

  const first = await run(folder);
  const second = await run(folder);

  t.is(first.code, 0, first.output);
  t.regex(first.output, /^Installing .* with npm ci/);
  t.deepEqual(second, { code: 0, output: '' });
});

test('a changed lock is installed again', async (t) => {
  const folder = await packageOf(t);
  await run(folder);
  await writeFile(join(folder, 'node_modules/.paddock-stamp'), 'another lock\n');

  const { output } = await run(folder);

  t.regex(output, /^Installing/);
});

test('of two runs at once one installs and the other waits', async (t) => {
  const folder = await packageOf(t);

  const outcomes = await Promise.all([run(folder), run(folder)]);

  t.deepEqual(
    outcomes.map(({ code }) => code),
    [0, 0],
  );
  t.is(outcomes.filter(({ output }) => output !== '').length, 1);
});

test('the lock of a run that was killed is taken over', async (t) => {
  const folder = await packageOf(t);
  await mkdir(join(folder, '.paddock'));
  // Above the largest process number that Linux gives out.
  await writeFile(join(folder, '.paddock/install.lock'), '4194305');

  const { code } = await run(folder);

  t.is(code, 0);
  t.false(existsSync(join(folder, '.paddock/install.lock')));
});

test('without npm one sentence says what to install', async (t) => {
  const folder = await packageOf(t);

  const { code, output } = await run(folder, { ...systemEnv(), PATH: '/nonexistent' });

  t.is(code, 1);
  t.regex(output, /npm was not found in PATH; install Node 20\.17 or newer/);
  t.is(output.trim().split('\n').length, 1);
});

// npm itself ends well here, and a later start would find a program missing.
test('an optional package that could not be fetched is named', async (t) => {
  const folder = await packageOf(t, ['paddock-planted-optional']);
  // Nothing listens on port 9 of this machine.
  const unreachable = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };

  const { code, output } = await run(folder, { ...process.env, ...unreachable });

  t.is(code, 1);
  t.regex(output, /npm ci left out paddock-planted-optional; check that the package registry/);
});
