import { until } from '../support/until.ts';
import { missingLine, type RunBlock, type TerminalBlock } from './guide-blocks.ts';

export interface Ended {
  /** Null when it took too long. */
  readonly code: number | null;
  /** Standard output and standard error, as a terminal shows them. */
  readonly output: string;
}

/** A block that goes on. */
export interface Terminal {
  readonly isOver: () => boolean;
  readonly output: () => Promise<string>;
}

/** Where the reader of a guide types. */
export interface Shell {
  run(code: string): Promise<Ended>;
  start(code: string): Promise<Terminal>;
}

type Followed = Pick<RunBlock, 'kind' | 'code' | 'exitCode' | 'shown'> | TerminalBlock;

/**
 * Types a block.
 * @param patienceMs for what a terminal shows
 * @returns what went otherwise than the guide says; undefined when nothing did
 */
export function followBlock(
  shell: Shell,
  block: Followed,
  patienceMs = 180_000,
): Promise<string | undefined> {
  return block.kind === 'run' ? run(shell, block) : start(shell, block, patienceMs);
}

async function run(
  shell: Shell,
  { code, exitCode, shown }: Pick<RunBlock, 'code' | 'exitCode' | 'shown'>,
): Promise<string | undefined> {
  const ended = await shell.run(code);
  const said = `${code}\n\nwrote\n\n${ended.output}`;
  if (ended.code !== exitCode) return `ended with ${ended.code}, not ${exitCode}:\n${said}`;
  const missing = missingLine(shown, ended.output);
  return missing === undefined ? undefined : `does not show "${missing}":\n${said}`;
}

/** Undefined when it has shown what the guide tells the reader to wait for. */
async function start(
  shell: Shell,
  { code, shown }: TerminalBlock,
  patienceMs: number,
): Promise<string | undefined> {
  const terminal = await shell.start(code);
  const hasShown = async () => missingLine(shown, await terminal.output()) === undefined;
  await until(async () => terminal.isOver() || (await hasShown()), patienceMs).catch(
    () => undefined,
  );
  if (await hasShown()) return undefined;
  const end = terminal.isOver() ? 'has ended' : 'goes on';
  return `${end} and has not shown what was to be waited for:\n${code}\n\nwrote\n\n${await terminal.output()}`;
}
