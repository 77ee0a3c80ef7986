import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { bystander } from '../../../apps/validator/sandbox/bystander.ts';
import { findPython } from '../../../apps/validator/sandbox/find-python.ts';
import {
  findSandbox,
  NoSandbox,
  type Sandbox,
} from '../../../apps/validator/sandbox/find-sandbox.ts';
import { trial } from '../../../apps/validator/sandbox/trial.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { sandboxOr, trialLimits } from './try-sandbox.ts';

const wish = {
  ...{ limits: trialLimits, kind: undefined, python: undefined, userId: 64_251, isRoot: false },
  ...{ platform: 'linux', architecture: process.arch, clock: systemClock, secrets: [] },
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
async function pretendedPython(
  t: ExecutionContext,
  version: string,
  { executable = '/usr/bin/false', prefix = '/usr' } = {},
): Promise<string> {
  const path = join(await folderFor(t), 'python3');
  const facts = `{"executable": "${executable}", "prefix": "${prefix}", "version": ${version}}`;
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

interface Hole {
  readonly title: string;
  /** Arguments left out, each with so many that follow it. */
  readonly without?: Readonly<Record<string, number>>;
  readonly with?: readonly string[];
  readonly found: string;
}

const holes: readonly Hole[] = [
  {
    title: 'a network and a root that can be written to',
    without: { '--unshare-net': 0, '--remount-ro': 1, '--seccomp': 1 },
    found: "write to /, write to /dev, write to /sandbox, reach the machine's network",
  },
  {
    title: 'the configuration of the machine',
    with: ['--ro-bind', '/etc', '/etc'],
    found: 'read /etc/passwd, see /etc',
  },
  {
    title: 'the folders of its users',
    with: ['--dir', '/root', '--dir', '/home/somebody', '--dir', '/srv'],
    found: 'see /home',
  },
  {
    title: 'a folder of the machine to write to',
    with: ['--bind', '/tmp', '/tmp'],
    found: 'write to /tmp, see /tmp',
  },
  {
    title: 'all devices',
    with: ['--dev', '/dev'],
    found: 'write to /dev, write to /dev/shm, see /dev/full, see /dev/random',
  },
  {
    title: 'the processes of the machine',
    without: { '--unshare-pid': 0 },
    found: 'see other processes',
  },
  {
    title: 'what the kernel tells of the machine',
    with: ['--proc', '/proc'],
    found: 'see /proc',
  },
  {
    title: 'a variable that nobody gave it',
    with: ['--setenv', 'TOKEN', 'x'],
    found: 'see variables that it was not given',
  },
];

/** The same box with one hole, so that what tries to get out has something to find. */
function withHole(sandbox: Sandbox, hole: Hole): Sandbox {
  const commandFor = (agent: Uint8Array) => {
    const { command, args, inputs } = sandbox.commandFor(agent);
    const kept: string[] = [];
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] ?? '';
      const values = hole.without?.[arg];
      if (arg === '--chdir') kept.push(...(hole.with ?? []));
      if (values === undefined) kept.push(arg);
      else at += values;
    }
    const hasFilter = kept.includes('--seccomp');
    return { command, args: kept, inputs: hasFilter ? inputs : inputs.slice(0, -1) };
  };
  return { ...sandbox, commandFor };
}

const trying = { clock: systemClock, pythonHome: undefined, secrets: [] };

test('a box without holes holds what tries to get out of it, each time', async (t) => {
  const sandbox = await sandboxOr(t, 'bubblewrap');
  if (sandbox === undefined) return;

  t.is(await trial(sandbox, trying), undefined);
  t.is(await trial(sandbox, trying), undefined);
});

for (const hole of holes) {
  test(`a box with ${hole.title} is found out, each time`, async (t) => {
    const sandbox = await sandboxOr(t, 'bubblewrap');
    if (sandbox === undefined) return;
    const leaky = withHole(sandbox, hole);
    const found = await trial(leaky, trying);

    t.true(found?.startsWith('it did not keep an agent from this: '), found);
    const told = found?.slice('it did not keep an agent from this: '.length).split(', ') ?? [];
    for (const each of hole.found.split(', ')) t.true(told.includes(each), `${each}: ${found}`);
    t.is(await trial(leaky, trying), found, 'what the first trial left behind hides nothing');
  });
}

test('a validator that is the first process of its container is let down by no sound box', async (t) => {
  const sandbox = await sandboxOr(t, 'bubblewrap');
  if (sandbox === undefined) return;
  // Numbers that every box of its own has.
  for (const ownPid of [1, 2]) t.is(await trial(sandbox, { ...trying, ownPid }), undefined);
});

test('a box with the processes of the machine is found out by the first process of a container', async (t) => {
  const sandbox = await sandboxOr(t, 'bubblewrap');
  if (sandbox === undefined) return;
  const found = 'see other processes';
  const leaky = withHole(sandbox, { title: found, without: { '--unshare-pid': 0 }, found });

  const told = await trial(leaky, { ...trying, ownPid: 1 });
  t.is(told, `it did not keep an agent from this: ${found}`);
});

test('a Python whose folder holds a secret is refused, and the message names what was read', async (t) => {
  const found = await findPython('/usr/bin/python3');
  if ((await sandboxOr(t, 'bubblewrap')) === undefined || typeof found === 'string') return;
  const folder = await folderFor(t);
  await chmod(folder, 0o755);
  const key = join(folder, 'hotkey');
  await writeFile(key, '0x00', { mode: 0o644 });
  const python = await pretendedPython(t, '[3, 12, 0]', {
    executable: found.place.path,
    prefix: folder,
  });
  const isRoot = process.getuid?.() === 0;
  const asked = { ...wish, isRoot, python, kind: 'bubblewrap' as const };

  await t.throwsAsync(findSandbox({ ...asked, secrets: [key] }), {
    instanceOf: NoSandbox,
    message:
      /bubblewrap: it did not keep an agent from this: read .*hotkey\)\. What the box lets through is/,
  });
  const harmless = await findSandbox({ ...asked, secrets: ['/nowhere/hotkey'] });
  t.is(harmless.kind, 'bubblewrap');
});

test('by whom a box is asked for processes has a number that no box of its own has', async (t) => {
  await using small = await bystander(1);
  t.true(small.pid > 300 && small.pid !== process.pid);
  t.notThrows(() => process.kill(small.pid, 0));
  await small[Symbol.asyncDispose]();
  t.throws(() => process.kill(small.pid, 0), { code: 'ESRCH' });

  await using own = await bystander(4_000);
  t.is(own.pid, 4_000);
});
