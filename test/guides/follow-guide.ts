import test, { type ExecutionContext } from 'ava';
import { until } from '../support/until.ts';
import {
  type Block,
  blocksOf,
  missingLine,
  type RunBlock,
  readGuide,
  type TerminalBlock,
} from './guide-blocks.ts';
import { type GuideShell, guideShell } from './guide-shell.ts';

type Typed = Exclude<Block, { readonly kind: 'left-out' }>;

export interface Guide {
  readonly name: string;
  /** Why a chapter cannot be followed on this machine; undefined where it can. */
  readonly obstacle?: (chapter: string) => Promise<string | undefined>;
}

/**
 * One test for each chapter in which something is typed, guide after guide, in one shell. A guide that
 * begins with the terminal of one before it finds it running. What comes after a chapter that failed is not
 * tried, since it builds on it.
 */
export function followGuides(guides: readonly Guide[]): void {
  const terminals = new Set<string>();
  const failed = new Set<string>();
  let shell: GuideShell;
  test.before(async () => {
    shell = await guideShell();
  });
  test.after.always(() => shell?.stop());
  for (const { name, obstacle } of guides) {
    for (const [chapter, blocks] of chaptersOf(name)) {
      test.serial(`${name}: ${chapter}`, async (t) => {
        t.timeout(150_000);
        if (failed.has(name)) throw new Error('a chapter above has failed; this one builds on it');
        const why = await obstacle?.(chapter);
        if (why !== undefined) {
          t.pass(why);
          return;
        }
        failed.add(name);
        for (const block of blocks) await follow(t, block, { name, shell, terminals });
        failed.delete(name);
      });
    }
  }
}

function chaptersOf(name: string): ReadonlyMap<string, readonly Typed[]> {
  const typed = blocksOf(readGuide(name)).filter((block) => block.kind !== 'left-out');
  return Map.groupBy(typed, ({ chapter }) => chapter);
}

interface Following {
  readonly name: string;
  readonly shell: GuideShell;
  readonly terminals: Set<string>;
}

async function follow(t: ExecutionContext, block: Typed, following: Following): Promise<void> {
  const { name, shell, terminals } = following;
  const startedMs = performance.now();
  const place = `infra/guides/${name}:${block.line}`;
  if (block.kind === 'run') {
    const wrong = await run(shell, block);
    if (wrong !== undefined) throw new Error(`${place}: ${wrong}`);
  } else if (!terminals.has(block.code)) {
    terminals.add(block.code);
    const wrong = await start(shell, block);
    if (wrong !== undefined) throw new Error(`${place}: ${wrong}`);
  }
  t.pass();
  t.log(`${place}: ${Math.round(performance.now() - startedMs)} ms`);
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

/** Undefined when it has shown what the guide tells the reader to wait for. */
async function start(
  shell: GuideShell,
  { code, shown }: TerminalBlock,
): Promise<string | undefined> {
  const terminal = await shell.start(code);
  const hasShown = async () => missingLine(shown, await terminal.output()) === undefined;
  await until(async () => terminal.isOver() || (await hasShown()), 90_000).catch(() => undefined);
  if (await hasShown()) return undefined;
  const end = terminal.isOver() ? 'has ended' : 'goes on';
  return `${end} and has not shown what was to be waited for:\n${code}\n\nwrote\n\n${await terminal.output()}`;
}
