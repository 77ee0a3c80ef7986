/**
 * `npm run proof:guides`: a new miner, a new validator and a new operator, each on a machine of their own: the
 * smallest Debian, with Node, npm and git. Every command of their guide is typed there as it stands, on
 * the ports that it names, with the real npm and npx; only REPOSITORY is this one, and VERSION a name of
 * its head. Ends with code 1 when a command did not do what the guide says.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { requireFreePort } from '../../../apps/world/port-check.ts';
import { lineOf } from '../../commands/command-line.ts';
import { proofGuidesCommand } from '../../commands/proof-commands.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { followBlock, type Shell } from '../follow-block.ts';
import { type Block, blocksOf, readGuide } from '../guide-blocks.ts';
import { makeDebianBase, ownNode } from './debian-base.ts';
import { repositoryPlace, startMachine } from './machine.ts';
import { machineShell } from './machine-shell.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
/** The youngest, since it has the client tools of the database that operators need. */
const suite = 'forky';
/** What the guide for operators installs first, and what it upgrades to. */
const versions = ['1.0.0', '1.0.1'];
const portsOfGuides = [8080, 8082, 8090, 8091, 9464];
/** A first start compiles everything, on a machine that may be busy. */
const patienceMs = 4 * 60_000;

const { base: kept, only = ['miners', 'validators', 'operators'] } = lineOf(proofGuidesCommand);
const own = ownNode(process.env);
const obstacle = await findObstacle();
if (own === undefined || obstacle !== undefined) {
  console.error(obstacle ?? 'Start it with npm, whose Node the machines get.');
  process.exit(2);
}

await using stack = new AsyncDisposableStack();
const folder = await temporaryFolder();
stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
const base = resolve(kept ?? join(folder, 'base'));
if (!isThere(base)) {
  console.log(`Making a Debian (${suite}) …`);
  // Under its own name only when it is whole: one that was given up half-way would be used again.
  await rm(`${base}.part`, { recursive: true, force: true });
  await makeDebianBase(`${base}.part`, suite, own);
  await rename(`${base}.part`, base);
}
const repository = await bareRepository();
const wrong: string[] = [];
const counts = { typed: 0, leftOut: 0 };
for (const name of only) {
  console.log(`\n${name}.md`);
  const failure = await followGuide(`${name}.md`);
  if (failure !== undefined) wrong.push(failure);
}
console.log(`\n${await whatItRanOn()}`);
if (wrong.length === 0) {
  console.log(`PROVED: ${counts.typed} blocks were typed; ${counts.leftOut} left out.`);
} else {
  console.log(`VIOLATED:\n${wrong.join('\n\n')}`);
  process.exitCode = 1;
}

/** What went wrong first; what comes after it builds on it. */
async function followGuide(name: string): Promise<string | undefined> {
  const place = join(folder, name);
  await mkdir(place);
  const machine = await startMachine({ base, repository, folder: place });
  try {
    const shell = await machineShell(machine, place);
    let cloned = 0;
    for (const block of blocksOf(readGuide(name))) {
      if (block.code.includes('git clone --branch VERSION')) cloned++;
      const version = versions[Math.max(cloned - 1, 0)] ?? '';
      const own = (text: string) =>
        text.replaceAll('REPOSITORY', repositoryPlace).replaceAll('VERSION', version);
      const failure = await type(shell, {
        ...block,
        code: own(block.code),
        // A table may have a column of versions, so only in a path.
        shown: block.shown.map((line) => line.replaceAll('/VERSION', `/${version}`)),
      });
      if (failure !== undefined) return `infra/guides/${name}:${block.line}: ${failure}`;
    }
    return undefined;
  } finally {
    await machine.stop();
    await rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

async function type(shell: Shell, block: Block): Promise<string | undefined> {
  const [first = ''] = block.code.split('\n');
  const say = (what: string) =>
    console.log(`  ${String(block.line).padStart(4)}  ${what.padStart(8)}  ${first.slice(0, 90)}`);
  if (block.kind === 'left-out') {
    counts.leftOut++;
    say('left out');
    return undefined;
  }
  const startedMs = performance.now();
  const typed =
    block.kind === 'clean-machine' ? ({ ...block, kind: 'run', exitCode: 0 } as const) : block;
  const failure = await followBlock(shell, typed, patienceMs);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  say(failure === undefined ? `${seconds} s` : 'WRONG');
  counts.typed++;
  return failure;
}

/** With two versions of the head: names of releases, which there are none of yet. */
async function bareRepository(): Promise<string> {
  const bare = join(folder, 'repository.git');
  await run('git', ['clone', '--quiet', '--bare', root, bare]);
  for (const version of versions) await run('git', ['-C', bare, 'tag', version]);
  const { stdout } = await run('git', ['-C', root, 'status', '--porcelain']);
  if (stdout !== '') console.log('What is not committed is not on the machines.');
  return bare;
}

async function findObstacle(): Promise<string | undefined> {
  const missing = ['debootstrap', 'systemd-nspawn', 'nsenter'].filter((name) => !isInPath(name));
  if (missing.length > 0) {
    return `A machine needs ${missing.join(', ')} (Debian: apt-get install debootstrap systemd-container).`;
  }
  if (process.getuid?.() !== 0) return 'A machine is made and started by root alone.';
  // The machines are on this one's network, so that they install from where it does.
  const ports = portsOfGuides.map((port) => requireFreePort(port));
  const [taken] = (await Promise.allSettled(ports)).filter(({ status }) => status === 'rejected');
  return taken === undefined
    ? undefined
    : `The guides name the ports ${portsOfGuides.join(', ')}, and one of them is taken.`;
}

async function whatItRanOn(): Promise<string> {
  const system = await readFile(join(base, 'etc/debian_version'), 'utf8');
  const { stdout: node } = await run(own?.node ?? '', ['--version']);
  const { stdout: commit } = await run('git', ['-C', root, 'rev-parse', '--short=12', 'HEAD']);
  return `Commit ${commit.trim()}, on Debian ${system.trim()} with Node ${node.trim()}`;
}

function isInPath(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [...folders, '/usr/sbin'].some((each) => isThere(join(each, name)));
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
