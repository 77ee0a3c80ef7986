import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { lockFolder } from '../../../apps/validator/folder-lock.ts';
import { findPython } from '../../../apps/validator/sandbox/find-python.ts';
import { findSandbox, NoSandbox, trial } from '../../../apps/validator/sandbox/find-sandbox.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { trialLimits, trialSandbox } from './try-sandbox.ts';

const wish = {
  ...{ limits: trialLimits, kind: undefined, python: undefined, userId: 64_251, isRoot: false },
  ...{ platform: 'linux', architecture: process.arch, clock: systemClock },
};

async function folderFor(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'validator-find-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a machine that is no Linux is refused with a reason', async (t) => {
  await t.throwsAsync(findSandbox({ ...wish, platform: 'darwin' }), {
    instanceOf: NoSandbox,
    message: /Linux namespaces, and this machine runs darwin/,
  });
});

test('a Python that is not there is refused with what to install', async (t) => {
  const found = await findPython('/nowhere/python3');

  t.regex(String(found), /CPython 3\.11 or newer, and no python3 was found: install it/);
});

/** Answers the question for its version and is nothing else. */
async function pretendedPython(t: ExecutionContext, version: string): Promise<string> {
  const path = join(await folderFor(t), 'python3');
  const facts = `{"executable": "/usr/bin/false", "prefix": "/usr", "version": ${version}}`;
  await writeFile(path, `#!/bin/sh\necho '${facts}'\n`);
  await chmod(path, 0o755);
  return path;
}

test('a Python that is too old is named with its version', async (t) => {
  const path = await pretendedPython(t, '[3, 9, 2]');

  t.regex(String(await findPython(path)), /python3 is 3\.9\.2: install it/);
});

test('a box in which nothing comes up is no sandbox, and says what to do', async (t) => {
  const python = await pretendedPython(t, '[3, 12, 0]');
  const isRoot = process.getuid?.() === 0;

  await t.throwsAsync(findSandbox({ ...wish, isRoot, python }), {
    instanceOf: NoSandbox,
    message:
      /agents are never run without one \(bubblewrap: .*not_started.*; unshare: .*not_started.*\)\. Install bubblewrap/,
  });
});

test('a box with holes is found out by the file that tries to get out', async (t) => {
  const sandbox = await trialSandbox('bubblewrap');
  if (sandbox instanceof NoSandbox) {
    t.regex(sandbox.message, /apt-get install/);
    return;
  }
  const holes = {
    ...sandbox,
    commandFor: (agent: Uint8Array) => {
      const { command, args, inputs } = sandbox.commandFor(agent);
      const drop = new Set(['--unshare-net', '--remount-ro', '--seccomp']);
      const left = args.filter((arg, at) => !drop.has(arg) && !isValueOf(args[at - 1]));
      return { command, args: left, inputs: inputs.slice(0, -1) };
    },
  };

  t.is(await trial(sandbox, systemClock), undefined);
  t.is(
    await trial(holes, systemClock),
    "it did not keep an agent from this: write to the root, reach the machine's network",
  );
});

function isValueOf(flag: string | undefined): boolean {
  return flag === '--remount-ro' || flag === '--seccomp';
}

test('a folder belongs to one validator, and to nobody once that is gone', async (t) => {
  const folder = await folderFor(t);
  await writeFile(join(folder, 'validator.pid'), '999999999');
  const lock = await lockFolder(folder, process.pid);
  // Ours is another program: a number alone says nothing.
  await t.notThrowsAsync(lockFolder(folder, 1));
  await lock[Symbol.asyncDispose]();

  await t.notThrowsAsync(lockFolder(folder, process.pid));
});
