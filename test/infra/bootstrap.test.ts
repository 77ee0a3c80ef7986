import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemEnv } from '../support/system-env.ts';
import { until } from '../support/until.ts';

const bootstrap = join(import.meta.dirname, '../../infra/bootstrap.mjs');

/** Above the largest process number that Linux gives out. */
const deadProcess = 4_194_305;

interface Outcome {
  readonly code: number;
  readonly output: string;
}

// One that waits for nobody would wait for ever.
const timeout = 90_000;

function run(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bootstrap, folder], { env, timeout }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? (error ? 1 : 0)), output: stdout + stderr });
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
  t.is(outcomes.filter(({ output }) => /^Installing/m.test(output)).length, 1);
});

test('the lock of a run that was killed is taken over', async (t) => {
  const folder = await packageOf(t);
  await mkdir(join(folder, '.paddock'));
  await writeFile(join(folder, '.paddock/install.lock'), String(deadProcess));

  const { code } = await run(folder);

  t.is(code, 0);
  t.false(existsSync(join(folder, '.paddock/install.lock')));
});

test('a lock whose holder is another process by now is taken over', async (t) => {
  const folder = await packageOf(t);
  const lock = join(folder, '.paddock/install.lock');
  await mkdir(join(folder, '.paddock'));
  // This process lives, but is not the one that started then.
  await writeFile(lock, `${process.pid} another-boot 7`);

  const { code, output } = await run(folder);

  t.is(code, 0, output);
  t.notRegex(output, /Waiting/);
  t.false(existsSync(lock));
});

/** Numbers repeat where each start is in a container of its own. */
const withOwnNumber = `
import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('.paddock');
writeFileSync('.paddock/install.lock', String(process.pid));`;

test('nobody waits for a holder that had the same number', async (t) => {
  const folder = await packageOf(t);
  await writeFile(join(folder, 'own.mjs'), withOwnNumber);

  const args = ['--import', './own.mjs', bootstrap, folder];
  const child = execFile(process.execPath, args, { cwd: folder, timeout });
  const [code] = await once(child, 'close');

  t.is(code, 0);
  t.false(existsSync(join(folder, '.paddock/install.lock')));
});

test('a lock that its run had no time to fill is taken over once it is old', async (t) => {
  const folder = await packageOf(t);
  const lock = join(folder, '.paddock/install.lock');
  await mkdir(join(folder, '.paddock'));
  await writeFile(lock, '');
  const anHourAgo = Date.now() / 1000 - 3600;
  await utimes(lock, anHourAgo, anHourAgo);

  const { code } = await run(folder);

  t.is(code, 0);
  t.false(existsSync(lock));
});

test('whoever waits for another run says so once, and for which', async (t) => {
  const folder = await packageOf(t);
  const lock = join(folder, '.paddock/install.lock');
  await mkdir(join(folder, '.paddock'));
  await writeFile(lock, String(process.pid));

  const waiting = execFile(process.execPath, [bootstrap, folder], { timeout });
  let said = '';
  waiting.stderr?.on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise((resolve) => waiting.on('close', resolve));
  await until(() => said.includes('\n') || waiting.exitCode !== null);
  const line = `Waiting for another installation (process ${process.pid}); if there is none, remove ${lock} …\n`;
  t.is(said, line);
  await rm(lock);

  t.is(await ended, 0, said);
  t.is(said.split('Waiting').length, 2, said);
});

/** npm in its place: it notes that it began, and ends when it is told. */
const npmInPlace = `
const { appendFileSync, existsSync } = require('node:fs');
if (process.argv.includes('--version')) console.log('10.0.0');
else {
  appendFileSync('began', 'x');
  const look = setInterval(() => existsSync('may-end') && clearInterval(look), 10);
}`;

/** Stops where the holder was found dead, until it is told to go on. */
const pausedThere = `
import { existsSync, writeFileSync } from 'node:fs';
const { kill } = process;
process.kill = (pid, signal) => {
  if (pid === ${deadProcess}) {
    writeFileSync('found-dead', '');
    while (!existsSync('may-go-on')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
  return kill.call(process, pid, signal);
};`;

test('of two that find a holder dead the slower one leaves the lock of the other', async (t) => {
  const folder = await packageOf(t);
  const file = (name: string) => join(folder, name);
  const began = () => readFile(file('began'), 'utf8').catch(() => '');
  await mkdir(file('.paddock'));
  await writeFile(file('.paddock/install.lock'), String(deadProcess));
  await writeFile(file('npm-cli.js'), npmInPlace);
  await writeFile(file('paused.mjs'), pausedThere);
  const env = { ...process.env, npm_execpath: file('npm-cli.js') };
  const start = (...flags: string[]) => {
    const args = [...flags, bootstrap, folder];
    const child = execFile(process.execPath, args, { cwd: folder, env, timeout });
    let said = '';
    child.stderr?.on('data', (text: string) => {
      said += text;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    return { said: () => said, ended };
  };

  const slow = start('--import', file('paused.mjs'));
  await until(() => existsSync(file('found-dead')));
  const quick = start();
  await until(async () => (await began()) === 'x');
  await writeFile(file('may-go-on'), '');
  await until(async () => slow.said() !== '' || (await began()) !== 'x');
  const once = await began();
  await writeFile(file('may-end'), '');

  t.deepEqual(await Promise.all([slow.ended, quick.ended]), [0, 0]);
  t.is(once, 'x');
  t.regex(slow.said(), /^Waiting for another installation \(process \d+\);/);
});

test('a holder that lives is waited for', async (t) => {
  const folder = await packageOf(t);
  const file = (name: string) => join(folder, name);
  await writeFile(file('npm-cli.js'), npmInPlace);
  const env = { ...process.env, npm_execpath: file('npm-cli.js') };
  const holder = execFile(process.execPath, [bootstrap, folder], { cwd: folder, env, timeout });
  const held = once(holder, 'close');
  await until(() => existsSync(file('began')) || holder.exitCode !== null);

  const waiting = execFile(process.execPath, [bootstrap, folder], { cwd: folder, env, timeout });
  const waited = once(waiting, 'close');
  const [said] = await once(waiting.stderr ?? waiting, 'data');
  await writeFile(file('may-end'), '');

  t.true(String(said).startsWith(`Waiting for another installation (process ${holder.pid});`));
  t.deepEqual([(await held)[0], (await waited)[0]], [0, 0]);
  t.is(await readFile(file('began'), 'utf8'), 'x');
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
