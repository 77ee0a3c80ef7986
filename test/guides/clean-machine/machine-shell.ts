import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signalGroup } from '../../support/bound-groups.ts';
import { blockScript } from '../block-script.ts';
import type { Shell } from '../follow-block.ts';
import { reader } from './debian-base.ts';
import type { Machine } from './machine.ts';

/** An install on a busy machine. */
const blockMs = 8 * 60_000;
const home = `/home/${reader}`;

/** The shell of somebody who has just logged in, in an empty home, and types what a guide says, letter by letter. */
export async function machineShell(machine: Machine, logs: string): Promise<Shell> {
  const files = { kept: `${home}/.kept-shell`, folder: `${home}/.kept-folder` };
  for (const [path, text] of [[files.kept, ''] as const, [files.folder, home] as const]) {
    await writeFile(join(machine.root, path), text);
    // The host's root has written what the reader replaces.
    await chmod(join(machine.root, path), 0o666);
  }
  let blocks = 0;
  const begin = (code: string, isFresh: boolean) => {
    const logFile = join(logs, `block-${blocks++}.log`);
    const child = machine.type(blockScript(code, files, { isFresh }), logFile);
    return { child, output: () => readFile(logFile, 'utf8') };
  };
  return {
    async run(code) {
      const { child, output } = begin(code, false);
      const late = setTimeout(() => signalGroup(child, 'SIGKILL'), blockMs);
      const [exitCode] = await once(child, 'exit');
      clearTimeout(late);
      return { code: exitCode, output: await output() };
    },
    async start(code) {
      const { child, output } = begin(code, true);
      return { output, isOver: () => child.exitCode !== null };
    },
  };
}
