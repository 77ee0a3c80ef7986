// Runs `npm ci` when node_modules does not match package-lock.json; otherwise costs milliseconds.
// Usage: node infra/bootstrap.mjs [FOLDER], the project's root by default. Plain JavaScript without
// dependencies: it is the first thing that runs on a clean clone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { node, obstacleToNode } from './bundled-node.mjs';

const root = resolve(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? root);
const stampFile = join(folder, 'node_modules', '.paddock-stamp');
const installLock = join(folder, '.paddock', 'install.lock');
/** Making it and writing into it are two steps, which take microseconds. */
const halfMadeMs = 10_000;

function fail(sentence) {
  console.error(`Paddock cannot be installed: ${sentence}`);
  process.exit(1);
}

function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

// The platform is part of the stamp: modules copied from another machine hold its binaries.
function expectedStamp() {
  const lock = readFileSync(join(folder, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex');
  return `${digest} ${process.platform}-${process.arch}\n`;
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function ageMs(path) {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

/** A process by its number, and by when it started, which no other with that number did; '' is unknown. */
function holderOfLock() {
  const [pid, ...started] = readOrEmpty(installLock).trim().split(' ');
  return { pid: Number(pid), started: started.join(' ') };
}

function startOf(pid) {
  if (process.platform !== 'linux') {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env,
    });
    return (stdout ?? '').trim().replace(/\s+/g, ' ');
  }
  // After the program's name, which may itself hold spaces and parentheses.
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const boot = readOrEmpty('/proc/sys/kernel/random/boot_id').trim();
  return ticks === undefined || boot === '' ? '' : `${boot} ${ticks}`;
}

/** Numbers repeat, most of all in containers: a killed run may have had that of any process, ours too. */
function isHeldBy({ pid, started }) {
  if (pid === process.pid || !isRunning(pid)) return false;
  const now = startOf(pid);
  return started === '' || now === '' || started === now;
}

/** One that names nobody is of a run that was killed, or found no room, between making and writing it. */
function isAbandoned() {
  const holder = holderOfLock();
  return holder.pid > 0 ? !isHeldBy(holder) : ageMs(installLock) > halfMadeMs;
}

/**
 * One at a time, and after another look: of two that found the same dead holder the second would
 * remove the lock of the first, and both would install.
 */
function removeAbandoned() {
  const guard = `${installLock}.removal`;
  try {
    mkdirSync(guard);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (ageMs(guard) > halfMadeMs) rmSync(guard, { recursive: true, force: true });
    return;
  }
  try {
    if (isAbandoned()) rmSync(installLock, { force: true });
  } finally {
    rmdirSync(guard);
  }
}

/** True when this process now holds the lock; one that is abandoned is there for the taking next time. */
function tryLock() {
  mkdirSync(join(folder, '.paddock'), { recursive: true });
  try {
    writeFileSync(installLock, `${process.pid} ${startOf(process.pid)}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isAbandoned()) removeAbandoned();
  else sayWhomItWaitsFor(holderOfLock().pid);
  return false;
}

let isWaitTold = false;
function sayWhomItWaitsFor(holder) {
  if (isWaitTold || !(holder > 0)) return;
  isWaitTold = true;
  const who = `another installation (process ${holder})`;
  console.error(`Waiting for ${who}; if there is none, remove ${installLock} …`);
}

/** npm ends well when an optional package could not be fetched; ours hold the binaries we run on. */
function missingOptional() {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const fits = (allowed, own) => allowed === undefined || allowed.includes(own);
  return Object.keys(packages[''].optionalDependencies ?? {}).filter((name) => {
    const { os, cpu } = packages[`node_modules/${name}`];
    const wanted = fits(os, process.platform) && fits(cpu, process.arch);
    return wanted && !existsSync(join(folder, 'node_modules', name, 'package.json'));
  });
}

function npm(args, options) {
  const cli = process.env.npm_execpath ?? '';
  if (cli.endsWith('npm-cli.js')) return spawnSync(process.execPath, [cli, ...args], options);
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}

function install(stamp) {
  const npmVersion = npm(['--version'], { encoding: 'utf8' });
  if (npmVersion.error || npmVersion.status !== 0)
    fail('npm was not found in PATH; install Node 20.17 or newer together with npm 10 or newer.');
  if (Number.parseInt(npmVersion.stdout, 10) < 10)
    fail(`npm ${npmVersion.stdout.trim()} is too old; run "npm install --global npm@10" or newer.`);

  const what = relative(root, folder) || 'dependencies';
  console.error(
    `Installing ${what} with npm ci (once, and again when package-lock.json changes) …`,
  );
  // Named, because NODE_ENV=production or a user's own settings would leave parts out.
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  const result = npm(args, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (result.status !== 0)
    fail(
      'npm ci failed with the message above; check that the package registry can be reached ("npm ping") and run the command again.',
    );
  const missing = missingOptional();
  if (missing.length > 0)
    fail(
      `npm ci left out ${missing.join(', ')}; check that the package registry can be reached ("npm ping") and run the command again.`,
    );
  // npm puts this link first in the PATH of scripts: there "node" has to stay the user's own, which
  // surely starts. with-node.mjs finds Node 26 by itself.
  for (const link of ['node', 'node.cmd', 'node.ps1'])
    rmSync(join(folder, 'node_modules', '.bin', link), { force: true });
  // A platform without a package of ours is told by with-node.mjs.
  const obstacle = folder === root && existsSync(node) ? obstacleToNode() : undefined;
  if (obstacle !== undefined) fail(obstacle);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(stampFile, stamp);
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 17))
  fail(`Node ${process.versions.node} is too old; install Node 20.17 or newer.`);

const stamp = expectedStamp();
while (readOrEmpty(stampFile) !== stamp) {
  if (tryLock()) {
    try {
      // Whoever held the lock before us may have done the work meanwhile.
      if (readOrEmpty(stampFile) !== stamp) install(stamp);
    } finally {
      rmSync(installLock, { force: true });
    }
  } else {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

// Of the project alone; the folder of the bundled servers has no pages.
if (folder === root) {
  try {
    const { buildPages } = await import('../apps/dashboard/build.mjs');
    await buildPages();
  } catch (error) {
    console.error(
      `The pages could not be built; the API is the same without them: ${error.message}`,
    );
  }
}
