/**
 * `npm run proof:first-start`: how long a person waits from `npm start`, in a copy of this tree on which
 * nothing was ever started, to the first row of the leaderboard in a browser. What npm installs is
 * there already; pages, compiled code and data are not. Ends with code 1 when it took longer than it may.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { lineOf } from '../commands/command-line.ts';
import { proofFirstStartCommand } from '../commands/proof-commands.ts';
import { bindGroups } from '../support/bound-groups.ts';
import { systemEnv } from '../support/system-env.ts';
import { temporaryFolder } from '../support/temporary-servers.ts';
import { until } from '../support/until.ts';
import { openBrowser } from './browser.ts';

const root = join(import.meta.dirname, '../..');
const { seconds: limit } = lineOf(proofFirstStartCommand);
/** What only a start or an install makes, and what belongs to one machine. */
const leftOut = new Set(['node_modules', '.git', '.paddock', 'dist']);
const patienceMs = 10 * 60_000;

await using stack = new AsyncDisposableStack();
const folder = await temporaryFolder();
stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
const groups = bindGroups(folder);
stack.defer(() => groups.end());
const copy = join(folder, 'paddock');
await cp(root, copy, { recursive: true, filter: (path) => !leftOut.has(basename(path)) });
await linkModules('.');
await linkModules('infra/embedded');
const browser = stack.use(await openBrowser());
const page = await browser.newPage();

const startedMs = performance.now();
const seconds = () => (performance.now() - startedMs) / 1_000;
const readyFile = join(folder, 'ready.json');
const started = spawn('npm', ['start', '--', '--port', '0', '--ready-file', readyFile], {
  ...{ cwd: copy, env: systemEnv(), detached: true },
  stdio: ['ignore', 'pipe', 'pipe'],
});
// With npm and all that it starts.
groups.bind(started);
let lastWords = '';
for (const stream of [started.stdout, started.stderr]) {
  stream.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-2_000);
  });
}
const { base_url: address } = await untilReady();
const readySeconds = seconds();
await page.goto(address);
const pageSeconds = seconds();
await page.locator('table tbody tr').first().waitFor({ timeout: patienceMs });
const rowSeconds = seconds();

const say = (what: string, after: number) =>
  console.log(`  ${what.padEnd(44)} ${after.toFixed(1)} s`);
say('npm start says that it is ready', readySeconds);
say('the page is there', pageSeconds);
say('the first row of the leaderboard is shown', rowSeconds);
const isSoon = rowSeconds <= limit;
console.log(isSoon ? `\nPROVED: within ${limit} s.` : `\nVIOLATED: more than ${limit} s.`);
process.exitCode = isSoon ? 0 : 1;

/** Each package as it is installed, but nothing that earlier runs compiled. */
async function linkModules(of: string): Promise<void> {
  const from = join(root, of, 'node_modules');
  const to = join(copy, of, 'node_modules');
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    if (name !== '.cache') await symlink(join(from, name), join(to, name));
  }
}

async function untilReady(): Promise<{ base_url: string }> {
  const ready = z.object({ base_url: z.string() });
  let text = '';
  await until(async () => {
    if (started.exitCode !== null) throw new Error(`npm start ended:\n${lastWords}`);
    text = await readFile(readyFile, 'utf8').catch(() => '');
    return text.endsWith('\n');
  }, patienceMs);
  return ready.parse(JSON.parse(text));
}
