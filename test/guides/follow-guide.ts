import type { ExecutionContext } from 'ava';
import { until } from '../support/until.ts';
import {
  blocksOf,
  missingLine,
  type RunBlock,
  readGuide,
  type TerminalBlock,
} from './guide-blocks.ts';
import type { GuideShell } from './guide-shell.ts';

/** Blocks of terminals that go on: a guide that begins with the same one finds it running. */
export type Terminals = Set<string>;

interface Following {
  readonly shell: GuideShell;
  readonly terminals: Terminals;
  /** A chapter that this machine has not got what it needs for. */
  readonly without?: string | undefined;
}

/** Types every block of a guide, in order, and stops at the first that does not do what the guide says. */
export async function followGuide(
  t: ExecutionContext,
  name: string,
  { shell, terminals, without }: Following,
): Promise<void> {
  const blocks = blocksOf(readGuide(name)).filter(
    ({ kind, chapter }) => kind !== 'left-out' && chapter !== without,
  );
  t.true(blocks.length > 5, `${name} has few blocks`);
  for (const block of blocks) {
    const place = `infra/guides/${name}:${block.line}`;
    const startedMs = performance.now();
    if (block.kind === 'run') {
      const wrong = await run(shell, block);
      if (wrong !== undefined) return t.fail(`${place}: ${wrong}`);
    } else if (block.kind === 'terminal' && !terminals.has(block.code)) {
      terminals.add(block.code);
      await start(shell, block).catch((error: unknown) => t.fail(`${place}: ${error}`));
    }
    t.log(`${place} ${Math.round(performance.now() - startedMs)} ms`);
  }
}

async function run(
  shell: GuideShell,
  { code, exitCode, shown }: RunBlock,
): Promise<string | undefined> {
  const ended = await shell.run(code);
  const said = `${code}\n\nwrote\n\n${ended.output}`;
  if (ended.code !== exitCode) return `ended with ${ended.code}, not ${exitCode}:\n${said}`;
  const missing = missingLine(shown, ended.output);
  return missing === undefined ? undefined : `does not show "${missing}":\n${said}`;
}

/** Done when it has shown what the guide tells the reader to wait for. */
async function start(shell: GuideShell, { code, shown }: TerminalBlock): Promise<void> {
  const terminal = await shell.start(code);
  try {
    await until(async () => {
      if (terminal.isOver()) throw new Error('it has ended');
      return missingLine(shown, await terminal.output()) === undefined;
    }, 90_000);
  } catch (cause) {
    const said = `${code}\n\nwrote\n\n${await terminal.output()}`;
    throw new Error(`does not show what was to be waited for:\n${said}`, { cause });
  }
}
