/**
 * `npm run proof:guides`: a new miner, a new validator and a new operator, each on a machine of their own: the
 * smallest Debian, with Node, npm and git, and for the operator Docker. Every command of their guide is
 * typed there as it stands, on the ports that it names, with the real npm and npx; only REPOSITORY is this
 * one, VERSION a name of its head and SUBTENSOR_NODE an embedded chain. Ends with code 1 when a
 * command did not do what the guide says.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  type EmbeddedChain,
  startEmbeddedChain,
} from '../../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { lineOf } from '../../commands/command-line.ts';
import { proofGuidesCommand } from '../../commands/proof-commands.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { followBlock, type Shell } from '../follow-block.ts';
import { type Block, blocksOf, readGuide } from '../guide-blocks.ts';
import { bringEngine } from './container-engine.ts';
import { makeDebianBase, ownNode } from './debian-base.ts';
import { repositoryPlace, startMachine } from './machine.ts';
import { machineShell } from './machine-shell.ts';
import { hostAddress } from './own-network.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const programs = ['debootstrap', 'systemd-nspawn', 'nsenter', 'unshare', 'slirp4netns'];
/** The youngest, since it has the client tools of the database that operators need. */
const suite = 'forky';
/** What the guide for operators installs first, and what it upgrades to. */
const versions = ['1.0.0', '1.0.1'];
/** A first start compiles everything, on a machine that may be busy. */
const patienceMs = 4 * 60_000;

const { base: kept, only = ['miners', 'validators', 'operators'] } = lineOf(proofGuidesCommand);
const own = ownNode(process.env);
const obstacle = findObstacle();
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
const chain = await startChain();
stack.defer(() => chain.stop());
const engines: string[] = [];
const wrong: string[] = [];
let typed = 0;
for (const name of only) {
  console.log(`\n${name}.md`);
  const failure = await followGuide(`${name}.md`);
  if (failure !== undefined) wrong.push(failure);
}
console.log(`\n${await whatItRanOn()}`);
if (wrong.length === 0) {
  console.log(`PROVED: ${typed} blocks were typed.`);
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
    if (name === 'operators.md') engines.push(await bringEngine(machine, base));
    const shell = await machineShell(machine, place);
    let cloned = 0;
    for (const block of blocksOf(readGuide(name))) {
      if (block.code.includes('git clone --branch VERSION')) cloned++;
      const version = versions[Math.max(cloned - 1, 0)] ?? '';
      const own = (text: string) =>
        text
          .replaceAll('REPOSITORY', repositoryPlace)
          .replaceAll('VERSION', version)
          .replaceAll('SUBTENSOR_NODE', `http://${hostAddress}:${chain.port}`);
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
  const startedMs = performance.now();
  const followed =
    block.kind === 'clean-machine' ? ({ ...block, kind: 'run', exitCode: 0 } as const) : block;
  const failure = await followBlock(shell, followed, patienceMs);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  say(failure === undefined ? `${seconds} s` : 'WRONG');
  typed++;
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

/** On this host's loopback, where the machines see it. */
function startChain(): Promise<EmbeddedChain> {
  return startEmbeddedChain({ dataDir: join(folder, 'chain'), netuid: 1, clock: systemClock });
}

function findObstacle(): string | undefined {
  const missing = programs.filter((name) => !isInPath(name));
  if (missing.length > 0) {
    return `A machine needs ${missing.join(', ')} (Debian: apt-get install debootstrap systemd-container slirp4netns).`;
  }
  return process.getuid?.() === 0 ? undefined : 'A machine is made and started by root alone.';
}

async function whatItRanOn(): Promise<string> {
  const system = await readFile(join(base, 'etc/debian_version'), 'utf8');
  const { stdout: node } = await run(own?.node ?? '', ['--version']);
  const { stdout: commit } = await run('git', [
    '-C',
    repository,
    'rev-parse',
    '--short=12',
    'HEAD',
  ]);
  const machine = `on Debian ${system.trim()} with Node ${node.trim()}`;
  return [`Commit ${commit.trim()}`, machine, ...engines].join(', ');
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
