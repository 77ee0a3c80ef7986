import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { systemEnv } from '../support/system-env.ts';
import { temporaryFolder } from '../support/temporary-servers.ts';
import { blocksOf, guidesFolder, readGuide } from './guide-blocks.ts';

const root = join(import.meta.dirname, '../..');

/** What the bootstrap and the build of the pages read. */
const copied = [
  ...['package.json', 'package-lock.json', 'tsconfig.json'],
  ...['infra/bootstrap.mjs', 'infra/bundled-node.mjs'],
  ...['apps/dashboard/browser', 'apps/dashboard/build.mjs', 'apps/dashboard/page-paths.ts'],
  'machines/reasons',
];

/** `npm ci` as far as it counts here: what was in node_modules is gone, and the packages are there. */
const npmFromHere = `#!/usr/bin/env node
import fs from 'node:fs';
if (process.argv[2] === '--version') {
  console.log('11.0.0');
} else {
  fs.appendFileSync('installs.log', process.argv.slice(2).join(' ') + '\\n');
  fs.rmSync('node_modules', { recursive: true, force: true });
  fs.mkdirSync('node_modules');
  for (const name of fs.readdirSync('${root}/node_modules')) {
    if (!name.startsWith('.')) fs.symlinkSync('${root}/node_modules/' + name, 'node_modules/' + name);
  }
}
`;

/** What a guide types in its clone for the install. */
function installLines(name: string): readonly string[] {
  return blocksOf(readGuide(name))
    .filter(({ kind, code }) => kind === 'clean-machine' && code.includes('git clone'))
    .map(({ code }) => /(?:^|&& )(node infra\/bootstrap.*)$/m.exec(code)?.[1] ?? '');
}

/** A clone that nothing was installed in, and a shell in it. */
async function freshClone() {
  const folder = await temporaryFolder();
  const bin = join(folder, '.bin');
  for (const each of copied) await cp(join(root, each), join(folder, each), { recursive: true });
  await mkdir(bin);
  await writeFile(join(bin, 'npm'), npmFromHere, { mode: 0o755 });
  const env = { ...systemEnv(), PATH: `${bin}${delimiter}${systemEnv()['PATH']}` };
  return {
    async run(line: string): Promise<string> {
      const ended = await promisify(execFile)('sh', ['-ec', line], { cwd: folder, env });
      return ended.stdout + ended.stderr;
    },
    /** Nothing where there is no such file. */
    read: (path: string) => readFile(join(folder, path), 'utf8').catch(() => ''),
  };
}

// Who types `npm ci` alone has no pages, and the next command takes away what processes run on.
test('after the install of a guide no command of the project installs or builds again', async (t) => {
  const lines = readdirSync(guidesFolder).flatMap((name) => installLines(name));
  t.true(lines.length >= 4);
  for (const line of new Set(lines)) {
    const clone = await freshClone();
    await clone.run(line);
    const pages = await clone.read('apps/dashboard/dist/index.html');

    const { scripts } = JSON.parse(await clone.read('package.json'));
    const said = await clone.run(scripts.prestart);

    t.is(said, '', line);
    t.regex(pages, /<script [^>]*src="\/app\/assets\/main-/, line);
    t.is((await clone.read('installs.log')).trim().split('\n').length, 1, line);
  }
});
