import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../infra/local/free-port.ts';
import { bindGroups, signalGroup } from '../support/bound-groups.ts';
import { systemEnv } from '../support/system-env.ts';
import { temporaryFolder } from '../support/temporary-servers.ts';
import { blockScript } from './block-script.ts';
import type { Shell } from './follow-block.ts';

const root = join(import.meta.dirname, '../..');
/** What goes on for longer never ends; a busy machine may need minutes for one. */
const blockMs = 240_000;

export interface GuideShell extends Shell {
  stop(): Promise<void>;
}

/** The ports that the guides name; whoever runs the tests may have a service on them. */
const portsOfGuides = ['8080', '8082', '9464'];

/**
 * The shell of somebody who reads a guide: at the root of the repository, with a home of its own, in which
 * what one block exports is there in the next. Not everything is as on the page:
 *
 * 1. The ports are others.
 * 2. `npm` and `npx` are called for what they would start, without a look at what is installed: a test that
 *    installs would take away what the other tests are running on.
 */
export async function guideShell(): Promise<GuideShell> {
  const home = await temporaryFolder();
  const bin = join(home, '.bin');
  const files = { kept: join(home, '.shell'), folder: join(home, '.folder') };
  await mkdir(bin);
  await writeShortcuts(bin);
  await writeFile(files.kept, '');
  await writeFile(files.folder, root);
  const ports = await Promise.all(
    portsOfGuides.map(async (port) => ({ named: port, free: String(await freePort()) })),
  );
  const env = {
    ...systemEnv(),
    ...{ HOME: home, TZ: 'UTC', PATH: `${bin}:${systemEnv()['PATH']}` },
    // Most blocks start the same program.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(home, '.compiled'),
    // Where a guide names no port, it means the first one.
    PORT: ports[0]?.free ?? '',
  };
  const groups = bindGroups(home);
  let blocks = 0;
  const log = (index: number) => join(home, `.block-${index}.log`);
  const begin = (code: string, { isFresh }: { readonly isFresh: boolean }) => {
    const own = ports.reduce(
      (text, { named, free }) => text.replaceAll(new RegExp(`\\b${named}\\b`, 'g'), free),
      code,
    );
    const script = blockScript(own, files, { isFresh });
    const path = log(blocks++);
    const file = openSync(path, 'w', 0o600);
    // A group of its own, which what it leaves in the background belongs to.
    const child = spawn('bash', ['-c', script], {
      ...{ env, detached: true, stdio: ['ignore', file, file] },
    });
    closeSync(file);
    groups.bind(child);
    const asNamed = (text: string) =>
      ports.reduce((kept, { named, free }) => kept.replaceAll(free, named), text);
    return { child, output: async () => asNamed(await readFile(path, 'utf8')) };
  };
  return {
    async run(code) {
      const { child, output } = begin(code, { isFresh: false });
      const late = setTimeout(() => signalGroup(child, 'SIGKILL'), blockMs);
      const [exitCode] = await once(child, 'exit');
      clearTimeout(late);
      return { code: exitCode, output: await output() };
    },
    async start(code) {
      const { child, output } = begin(code, { isFresh: true });
      return { output, isOver: () => child.exitCode !== null };
    },
    async stop() {
      await groups.end();
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

interface Package {
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

async function writeShortcuts(bin: string): Promise<void> {
  const { scripts, bin: programs }: Package = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  const cases = Object.entries(scripts).map(([name, script]) => {
    const started = script.replace('node infra/bootstrap.mjs && ', '');
    const called = name === 'start' ? '"start "*' : `"run ${name}"`;
    return `${called}) shift ${name === 'start' ? 1 : 2}; [ "$1" = -- ] && shift; exec ${started} "$@";;`;
  });
  await shortcut(bin, 'npm', `case "$1 $2" in\n${cases.join('\n')}\nesac`);
  const names = Object.entries(programs).map(
    ([name, path]) => `${name}) shift; exec node ${path} "$@";;`,
  );
  await shortcut(bin, 'npx', `case "$1" in\n${names.join('\n')}\nesac`);
}

async function shortcut(bin: string, name: string, body: string): Promise<void> {
  const path = join(bin, name);
  await writeFile(path, `#!/bin/sh\n${body}\necho "no test knows ${name} $*" >&2\nexit 127\n`);
  await chmod(path, 0o700);
}
