import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { missingRelease, type Replaceable, Rollout } from './rollout.ts';

test('an upgrade replaces coordinators before edges, and who is replaced comes back as this release', async (t) => {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const processes = ['edge-1', 'coordinator-1', 'edge-2', 'coordinator-2'].map(sitting);
  const ended = processes.map(({ child }) => once(child, 'exit'));
  const told: (readonly [string, readonly string[]])[] = [];
  const rollout = new Rollout(folder);
  const earlier = () =>
    processes.map(({ name }) => name).filter((name) => rollout.rootOf(name) === folder);
  t.is(earlier().length, 4);

  await rollout.replaceAll(processes, {
    ...{ seconds: 0.2, signal: new AbortController().signal },
    onReplaced: (name) => void told.push([name, earlier()]),
  });

  t.deepEqual(told, [
    ['coordinator-1', ['edge-1', 'edge-2', 'coordinator-2']],
    ['coordinator-2', ['edge-1', 'edge-2']],
    ['edge-1', ['edge-2']],
    ['edge-2', []],
  ]);
  t.deepEqual(
    (await Promise.all(ended)).map(([, signal]) => signal),
    ['SIGTERM', 'SIGTERM', 'SIGTERM', 'SIGTERM'],
  );
  t.deepEqual(rollout.reached(5).count, 4);
});

test('an upgrade that is broken off has not replaced all', async (t) => {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const rollout = new Rollout(folder);
  const process = { name: 'edge-1', kind: 'edge', kept: { pid: 0 } } as const;

  await rollout.replaceAll([process], {
    ...{ seconds: 60, signal: AbortSignal.abort() },
    onReplaced: () => t.fail('nobody was to be replaced'),
  });

  t.deepEqual(rollout.reached(1), {
    what: 'processes replaced by this release',
    count: 0,
    minimum: 1,
  });
});

test('a folder without a release is named, and what is missing in it', (t) => {
  t.is(missingRelease(join(import.meta.dirname, '../../..')), undefined);
  t.regex(missingRelease('/nowhere') ?? '', /no release in \/nowhere: no .+main\.ts\.$/);
});

function sitting(name: string): Replaceable & { readonly child: ChildProcess } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const kind = name.startsWith('edge') ? 'edge' : 'coordinator';
  return { name, kind, child, kept: { pid: child.pid ?? 0 } };
}
