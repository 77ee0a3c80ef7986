import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import type { BoundGroups } from '../../support/bound-groups.ts';
import { systemEnv } from '../../support/system-env.ts';
import { until } from '../../support/until.ts';

/** This host, as the machine sees it: servers on its loopback are there. */
export const hostAddress = '10.0.2.2';

/** Asks whom the host asks. */
export const nameServer = '10.0.2.3';

/**
 * A network of the machine's own, from which a process of the host carries connections out as if they were
 * its own. So its ports are nobody else's, and what an engine tells the kernel of addresses and filters
 * goes with it.
 * @returns its path in /proc, which is there until `groups` end
 */
export async function ownNetwork(groups: BoundGroups): Promise<string> {
  const start = (command: string, args: readonly string[]) => {
    const options = { detached: true, env: systemEnv(), stdio: 'ignore' } as const;
    const child = spawn(command, args, options);
    groups.bind(child);
    return child;
  };
  const holder = start('unshare', ['--net', '--', 'sleep', 'infinity']);
  const path = `/proc/${holder.pid}/ns/net`;
  const ours = await readlink('/proc/self/ns/net');
  await until(async () => (await readlink(requireAlive(holder, path))) !== ours);
  const carrier = start('slirp4netns', ['--configure', '--mtu=65520', `${holder.pid}`, 'tap0']);
  await until(async () => {
    const routes = await readFile(requireAlive(carrier, `/proc/${holder.pid}/net/route`), 'utf8');
    return /^tap0\t0{8}/m.test(routes);
  });
  return path;
}

function requireAlive({ exitCode, spawnfile }: ChildProcess, path: string): string {
  if (exitCode !== null) throw new Error(`${spawnfile} ended with ${exitCode}: no network`);
  return path;
}
