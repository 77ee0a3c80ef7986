/**
 * What `npm test` runs: every test but the long ones and those of the pages, over one PostgreSQL
 * for the whole run. `npm test -- FILE…` runs those files, whichever they are, and `--long` the long
 * ones. The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { natsBinary } from '../infra/local/nats-binary.ts';
import { longTestPatterns, longTests } from './long-tests.ts';
import { tapProgress } from './support/tap-progress.ts';
import { temporaryPostgres } from './support/temporary-servers.ts';

const root = join(import.meta.dirname, '..');
/** No test may take as long, on a machine three times as slow as usual: AVA's own limits come before. */
const silenceMs = 6 * 60_000;
// In need of a browser, and run by name.
const pages = 'test/**/*.browser.test.ts';

const files = filesOf(process.argv.slice(2));
// Found once for all files: that its 20 MB are the published ones takes a while to tell.
const broker = await natsBinary();
const postgres = await temporaryPostgres();
const progress = tapProgress(console.log);
const startedMs = performance.now();
const code = await runAva(files, {
  ...process.env,
  PADDOCK_TEST_PG_URL: postgres.url,
  PADDOCK_TEST_NATS_BIN: broker,
  // Each file is a process of its own, and most load the same thousand modules.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
});
await postgres.stop();
report();

function filesOf(asked: readonly string[]): readonly string[] {
  if (asked.length === 1 && asked[0] === '--long') return longTests();
  return asked.length > 0 ? asked : shortTests();
}

function shortTests(): readonly string[] {
  const exclude = [pages, ...longTestPatterns];
  return globSync('test/**/*.test.ts', { cwd: root, exclude }).sort();
}

async function runAva(paths: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const cli = join(root, 'node_modules/ava/entrypoints/cli.js');
  const before = new URL('support/failures-without-stack.ts', import.meta.url).href;
  const ava = spawn(process.execPath, ['--import', before, cli, '--tap', ...paths], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ava.kill(signal));
  // AVA's own limit was seen to let a test go on for ever that waited and polled.
  const giveUp = () => {
    console.log(`Nothing was heard for ${silenceMs / 60_000} minutes: what is pending hangs.`);
    ava.kill('SIGINT');
  };
  let silence = setTimeout(giveUp, silenceMs);
  createInterface({ input: ava.stdout }).on('line', (line) => {
    clearTimeout(silence);
    silence = setTimeout(giveUp, silenceMs);
    progress.read(line);
  });
  const [exitCode] = await once(ava, 'close');
  clearTimeout(silence);
  return exitCode ?? 1;
}

function report(): void {
  const { passed, failed } = progress.counts;
  progress.repeatFailures();
  if (passed + failed === 0) console.log('No test ran.');
  else if (code !== 0 && failed === 0) console.log(`AVA itself failed, with code ${code}.`);
  console.log(`\n${files.length} files in ${Math.round((performance.now() - startedMs) / 1000)} s`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = code === 0 && passed > 0 && failed === 0 ? 0 : 1;
}
