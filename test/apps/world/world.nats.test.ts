import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { farClose } from '../../support/far-close.ts';
import { needsSandbox } from '../../support/needs-sandbox.ts';
import { systemEnv } from '../../support/system-env.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';

// The whole product as a newcomer starts it: its own database, broker, edge and coordinator.
const main = join(import.meta.dirname, '../../../apps/world/main.ts');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(...args: readonly string[]): ChildProcess & { readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [main, ...args], { env: { ...systemEnv(), ...farClose } });
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return Object.assign(child, { ended });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

interface ReadyLine {
  readonly ready: boolean;
  readonly base_url: string;
  readonly pids: { edge: number[]; coordinator: number[]; postgres: number; nats: number };
}

function allPids({ pids }: ReadyLine): number[] {
  return [...pids.edge, ...pids.coordinator, pids.postgres, pids.nats];
}

test.serial('one command ends with eligible versions and leaves nothing running', async (t) => {
  t.timeout(300_000);
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  const small = ['--miners', '2', '--validators', '2'];
  const world = start('--once', '--json', '--port', '0', '--data-dir', dataDir, ...small);
  const { code, stdout, stderr } = await world.ended;

  t.is(code, 0, stderr);
  const lines = stdout.trimEnd().split('\n');
  t.is(lines.length, 1, stdout);
  const ready: ReadyLine = JSON.parse(lines[0] ?? '');
  t.true(ready.ready);
  t.is(allPids(ready).length, 4);
  t.deepEqual(allPids(ready).filter(isRunning), []);
  t.regex(stderr, /careful-shopper is ELIGIBLE with 0\.\d{4}/);
  t.regex(stderr, /half-typed: refused, 400 INVALID_FILE/);
  t.regex(stderr, /Leaderboard, 1 eligible/);
});

test.serial('real validators run the three example agents and rank them by skill', async (t) => {
  t.timeout(300_000);
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  const world = start('--real-validators', '2', '--once', '--port', '0', '--data-dir', dataDir);
  const { code, stdout, stderr } = await world.ended;
  if (/no sandbox works here|agents need CPython/.test(stderr)) {
    t.false(needsSandbox, stderr);
    // Refused before anything was started, and with what to install.
    t.is(code, 2);
    t.regex(stderr, /apt-get install/);
    t.is(stdout, '');
    return;
  }

  t.is(code, 0, stdout + stderr);
  t.regex(stdout, /1 {2}careful-shopper v1 +Ada +1\.0000/);
  t.regex(stdout, /2 {2}keyword-match v1 +Basil +0\.[4-8]\d{3}/);
  t.regex(stdout, /3 {2}first-hit v1 +Cleo +0\.[12]\d{3}/);
  t.regex(stdout, /Boreas +claims|Eurus +claims/);
});

test.serial('the empty world serves until it is told to stop', async (t) => {
  t.timeout(300_000);
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  const readyFile = join(dataDir, 'ready.json');
  const args = ['--serve', '--json', '--port', '0', '--data-dir', dataDir];
  const world = start(...args, '--ready-file', readyFile, '--edges', '2');
  const line = await untilRead(readyFile, world);
  const ready: ReadyLine = JSON.parse(line);

  t.is(ready.pids.edge.length, 2);
  const suites = await fetch(`${ready.base_url}/v1/public/suites`);
  t.deepEqual(await suites.json(), []);
  world.kill('SIGTERM');
  const { code, stdout } = await world.ended;
  t.is(code, 0);
  t.is(stdout, line);
  t.deepEqual(allPids(ready).filter(isRunning), []);
});

test.serial('a second start in a folder in use touches nothing in it', async (t) => {
  t.timeout(300_000);
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  const readyFile = join(dataDir, 'ready.json');
  const args = ['--serve', '--port', '0', '--data-dir', dataDir, '--ready-file', readyFile];
  const world = start(...args);
  const line = await untilRead(readyFile, world);
  const files = ['objects/incoming/half-sent', 'nats/nats.conf', 'chain/chain.json'];
  await writeFile(join(dataDir, files[0] ?? ''), 'half');
  const read = () => Promise.all(files.map((name) => writtenMs(join(dataDir, name))));
  const before = await read();

  const { code, stdout, stderr } = await start(...args).ended;
  const after = await read();
  world.kill('SIGTERM');

  t.is(code, 2, stderr);
  t.is(stdout, '');
  t.is(
    stderr,
    `paddock: another service works in ${dataDir}: stop it, or give this one a --data-dir of its own\n`,
  );
  t.deepEqual(after, before);
  t.is(await readFile(readyFile, 'utf8'), line);
  t.is((await world.ended).code, 0);
});

test.serial('race days that were broken off go on at the next start', async (t) => {
  t.timeout(300_000);
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  const readyFile = join(dataDir, 'ready.json');
  const small = ['--days', '1', '--miners', '3', '--validators', '3', '--port', '0'];
  const args = [...small, '--data-dir', dataDir, '--ready-file', readyFile];
  const broken = start(...args);
  await untilSubmitted(await untilRead(readyFile, broken), broken);
  broken.kill('SIGINT');
  const { code, stdout, stderr } = await broken.ended;
  t.is(code, 0, stdout + stderr);
  t.is(stderr, '');
  t.notRegex(stdout, /race days\n/);

  const again = await start(...args).ended;

  t.is(again.code, 0, again.stdout + again.stderr);
  t.notRegex(again.stdout, /✗|COOLDOWN/);
  t.regex(again.stdout, /3 files were submitted and judged by 3 validators/);
  t.regex(again.stdout, /\d +RACE_COMPLETE +[123] /);
  // Nobody answers there any more.
  t.notRegex(again.stdout, /http:/);
});

// Who waits for the file would meet addresses of nobody, and a token that may be another one's by now.
test('a start takes away what an earlier one said was ready', async (t) => {
  const dataDir = await temporaryFolder();
  t.teardown(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  const readyFile = join(dataDir, 'ready.json');
  await writeFile(readyFile, '{"ready":true}\n');
  const args = ['--serve', '--port', '0', '--data-dir', dataDir, '--ready-file', readyFile];
  // It ends before it is ready.
  const env = {
    ...{ ...systemEnv(), NATS_SERVER_BIN: process.execPath },
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
  };
  const child = spawn(process.execPath, [main, ...args], { env });
  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);

  t.is(code, 1);
  t.regex(stderr, /install nats-server/);
  await t.throwsAsync(readFile(readyFile), { code: 'ENOENT' });
});

test('a port that is taken is one clear sentence', async (t) => {
  const other = createServer().listen(0, '0.0.0.0');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await start('--serve', '--port', String(port)).ended;

  t.is(code, 2);
  t.is(
    stderr,
    `paddock: port ${port} is already in use: choose another with --port N (0: a free one)\n`,
  );
});

test('a misspelled variable is named with what was meant', async (t) => {
  const child = spawn(process.execPath, [main, '--serve'], {
    env: { ...systemEnv(), LEASE_SECOND: '5' },
  });
  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);

  t.is(code, 2);
  t.regex(stderr, /LEASE_SECOND is no key of ours; did you mean LEASE_SECONDS\?/);
});

async function writtenMs(path: string): Promise<number> {
  return (await stat(path)).mtimeMs;
}

/** Until a miner's file was taken: from then on its cooldown refuses another. */
async function untilSubmitted(ready: string, world: ChildProcess): Promise<void> {
  const { base_url: baseUrl }: ReadyLine = JSON.parse(ready);
  while (world.exitCode === null) {
    const pending = await fetch(`${baseUrl}/v1/public/evaluations/pending`);
    if (((await pending.json()) as { total: number }).total > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the world ended before anything was submitted');
}

async function untilRead(path: string, world: ChildProcess): Promise<string> {
  while (world.exitCode === null) {
    const found = await readFile(path, 'utf8').catch(() => undefined);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the world ended before it was ready');
}
