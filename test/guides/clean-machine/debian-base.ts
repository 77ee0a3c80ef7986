import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const scripts = '/usr/share/debootstrap/scripts';

/** Who reads the guides. What takes root is typed with `sudo`, which asks nothing here. */
export const reader = 'reader';

/** The Node and npm that started us: those of the machine, not the ones that the project brings. */
export interface OwnNode {
  readonly node: string;
  readonly npmCli: string;
}

/** Undefined when this did not come of `npm run`. */
export function ownNode(env: NodeJS.ProcessEnv): OwnNode | undefined {
  const { npm_node_execpath: node, npm_execpath: npmCli } = env;
  if (node === undefined || npmCli?.endsWith('npm-cli.js') !== true) return undefined;
  return { node, npmCli };
}

/**
 * Makes the smallest Debian there is, with what a guide supposes (Node, npm, git, curl, sudo) and a service
 * manager; nothing of the project, and no compiler, Python or database.
 * @param suite of Debian, from the place that this machine's packages come from
 */
export async function makeDebianBase(folder: string, suite: string, own: OwnNode): Promise<void> {
  const include = 'git,ca-certificates,curl,sudo,systemd,systemd-sysv,dbus';
  // Suites that are younger than debootstrap are made as the youngest one is.
  const script = existsSync(join(scripts, suite)) ? [] : [join(scripts, 'sid')];
  const args = ['--variant=minbase', `--include=${include}`, suite, folder];
  await run('debootstrap', [...args, await debianAddress(), ...script]);
  await bringNode(folder, own);
  // A mirror may be one of another day.
  await put(folder, 'etc/apt/apt.conf.d/90-any-day', 'Acquire::Check-Valid-Until "false";\n');
  // Nobody is there to answer.
  await put(folder, 'etc/apt/apt.conf.d/91-yes', 'APT::Get::Assume-Yes "true";\n');
  // The repository that is cloned belongs to whoever runs the proof.
  await put(folder, 'etc/gitconfig', '[safe]\n\tdirectory = *\n');
  await put(folder, `etc/sudoers.d/${reader}`, `${reader} ALL=(ALL) NOPASSWD: ALL\n`);
  await put(folder, 'etc/hostname', 'clean-machine\n');
  await run('chroot', [folder, 'useradd', '--create-home', '--shell', '/bin/bash', reader]);
  await run('chroot', [folder, 'apt-get', 'update', '-qq']);
}

async function debianAddress(): Promise<string> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(ORIGIN) $(SITE)']);
  const lines = stdout.split('\n').map((line) => line.split(' '));
  const found = lines.find(([origin, site]) => origin === 'Debian' && site?.endsWith('/debian'));
  if (found?.[1] === undefined) throw new Error('apt names no place of Debian packages');
  return found[1];
}

/** As an install for everybody: where `npm` finds it, with the place that packages come from. */
async function bringNode(folder: string, { node, npmCli }: OwnNode): Promise<void> {
  const bin = join(folder, 'usr/bin');
  const npm = resolve(dirname(npmCli), '..');
  await cp(node, join(bin, 'node'));
  await cp(npm, join(folder, 'usr/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
  }
  const { stdout } = await run(node, [npmCli, 'config', 'get', 'registry']);
  const settings = [`registry=${stdout.trim()}`];
  // Where a network signs for others, only whoever was told so gets packages.
  const { NODE_EXTRA_CA_CERTS: trusted } = process.env;
  if (trusted !== undefined) {
    await put(folder, 'etc/ssl/own-network.pem', await readFile(trusted, 'utf8'));
    settings.push('cafile=/etc/ssl/own-network.pem');
  }
  await put(folder, 'usr/etc/npmrc', `${settings.join('\n')}\n`);
}

async function put(folder: string, path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
