import test, { type ExecutionContext } from 'ava';
import { followBlock } from './follow-block.ts';
import { blocksOf, readGuide, type TypedBlock } from './guide-blocks.ts';
import { type GuideShell, guideShell } from './guide-shell.ts';

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
        t.timeout(900_000);
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

function chaptersOf(name: string): ReadonlyMap<string, readonly TypedBlock[]> {
  const typed = blocksOf(readGuide(name)).filter(
    (block) => block.kind === 'run' || block.kind === 'terminal',
  );
  return Map.groupBy(typed, ({ chapter }) => chapter);
}

interface Following {
  readonly name: string;
  readonly shell: GuideShell;
  readonly terminals: Set<string>;
}

async function follow(t: ExecutionContext, block: TypedBlock, following: Following): Promise<void> {
  const { name, shell, terminals } = following;
  const startedMs = performance.now();
  const place = `infra/guides/${name}:${block.line}`;
  if (block.kind === 'terminal') {
    if (terminals.has(block.code)) return;
    terminals.add(block.code);
  }
  const wrong = await followBlock(shell, block);
  if (wrong !== undefined) throw new Error(`${place}: ${wrong}`);
  t.pass();
  t.log(`${place}: ${Math.round(performance.now() - startedMs)} ms`);
}
