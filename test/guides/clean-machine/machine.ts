import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bindGroups } from '../../support/bound-groups.ts';
import { systemEnv } from '../../support/system-env.ts';
import { until } from '../../support/until.ts';
import { reader } from './debian-base.ts';
import { nameServer, ownNetwork } from './own-network.ts';

const run = promisify(execFile);

/** Packages or an image, on a busy machine. */
const orderMs = 8 * 60_000;

/** Where the machine sees the repository that its reader clones. */
export const repositoryPlace = '/srv/paddock.git';

/** A Debian that has booted, with a service manager, processes and a network of its own. */
export interface Machine {
  /** Its files, as the host sees them. */
  readonly root: string;
  /** Runs a script as the reader in a fresh login; its output goes to a file of the host. */
  type(script: string, logFile: string): ChildProcess;
  /** Runs a command as root; what it wrote on standard output. Throws when it ends with another code than 0. */
  order(command: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export interface MachineOptions {
  /** A Debian that is not changed. */
  readonly base: string;
  /** A folder that is there, and goes when we die. */
  readonly folder: string;
  /** A bare repository. */
  readonly repository: string;
}

export async function startMachine({ base, folder, repository }: MachineOptions): Promise<Machine> {
  const root = join(folder, 'machine');
  await run('cp', ['-a', '--reflink=auto', base, root]);
  await rm(join(root, 'etc/resolv.conf'), { force: true });
  await writeFile(join(root, 'etc/resolv.conf'), `nameserver ${nameServer}\n`);
  const groups = bindGroups(folder);
  const network = await ownNetwork(groups);
  const log = openSync(join(folder, 'boot.log'), 'w');
  const bind = `--bind-ro=${repository}:${repositoryPlace}`;
  const nspawn = spawn('systemd-nspawn', [...asMachine(root, network), ...ofWhole, bind], {
    ...{ detached: true, stdio: ['ignore', log, log] },
    env: {
      ...systemEnv(),
      // What newer service managers ask for; and a sandbox in the machine mounts a /proc of its own, which
      // the kernel grants only to whom it is shown in full.
      SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1',
      SYSTEMD_NSPAWN_API_VFS_WRITABLE: '1',
    },
  });
  closeSync(log);
  groups.bind(nspawn);
  const enter = (pid: string, command: readonly string[]) => [
    ...['--target', pid, '--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--'],
    ...command,
  ];
  let pid = '';
  await until(async () => {
    if (nspawn.exitCode !== null) {
      throw new Error(`no machine came up:\n${await readFile(join(folder, 'boot.log'), 'utf8')}`);
    }
    pid = await leaderOf(nspawn);
    const state = enter(pid, ['/usr/bin/systemctl', 'is-system-running']);
    return pid !== '' && (await run('nsenter', state).then(isUp, isUp));
  });
  return {
    root,
    type(script, logFile) {
      const file = openSync(logFile, 'w', 0o600);
      const login = ['/usr/bin/su', '--login', reader, '--command', 'bash -s'];
      const child = spawn('nsenter', enter(pid, login), {
        ...{ detached: true, env: systemEnv(), stdio: ['pipe', file, file] },
      });
      closeSync(file);
      groups.bind(child);
      // A reader's standard input is a terminal that says nothing: the script stands before it.
      child.stdin?.end(`{\n${script}\n} < /dev/null\n`);
      return child;
    },
    async order(command) {
      const { stdout } = await run('nsenter', enter(pid, command), {
        ...{ env: systemEnv(), maxBuffer: 64 * 1024 * 1024, timeout: orderMs },
      });
      return stdout;
    },
    stop: () => groups.end(),
  };
}

const asMachine = (root: string, network: string) => [
  ...['--directory', root, '--boot', '--register=no', '--keep-unit', '--console=pipe'],
  ...[`--network-namespace-path=${network}`, '--resolv-conf=off'],
];

/** As root of a whole computer has them; an engine of containers makes namespaces and filters. */
const ofWhole = ['--capability=all', '--system-call-filter=@keyring bpf'];

/** `degraded` is up, too: a machine without hardware fails some units. */
function isUp({ stdout = '' }: { readonly stdout?: string }): boolean {
  return ['running', 'degraded'].includes(stdout.trim());
}

/** The first process of the machine, as the host sees it; nothing while there is none. */
async function leaderOf({ pid }: ChildProcess): Promise<string> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const child of children.trim().split(' ')) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '');
    if (name.trim() === 'systemd') return child;
  }
  return '';
}
