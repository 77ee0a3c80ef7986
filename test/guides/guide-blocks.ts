import { readFileSync } from 'node:fs';

/**
 * What a guide asks its reader to type, in the order of the page. The first word after the fence is
 * `sh`, and what follows it says how the block is meant:
 *
 * - nothing: it is run, and must end with 0
 * - `exit N`: it is run, and must end with N
 * - `terminal`: it goes on in a terminal of its own, while the ones below it are run
 * - `clean-machine: WHY`: it changes a machine, so it is run on one that is made for it (`npm run proof:guides`)
 *
 * A `text` block shows what the command above it writes.
 */
export type Block = TypedBlock | MachineBlock;

/** What a test can run. */
export type TypedBlock = RunBlock | TerminalBlock;

export interface RunBlock extends Place {
  readonly kind: 'run';
  readonly exitCode: number;
  readonly shown: readonly string[];
}

export interface TerminalBlock extends Place {
  readonly kind: 'terminal';
  readonly shown: readonly string[];
}

export interface MachineBlock extends Place {
  readonly kind: 'clean-machine';
  readonly why: string;
  readonly shown: readonly string[];
}

interface Place {
  readonly line: number;
  /** The heading of the chapter. */
  readonly chapter: string;
  readonly code: string;
}

export const guidesFolder = new URL('../../infra/guides/', import.meta.url);

export function readGuide(name: string): string {
  return readFileSync(new URL(name, guidesFolder), 'utf8');
}

/** Throws for a block that says neither what it is nor how it is meant: it would be run by nobody. */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const { info, text, ...place } of fencesOf(page)) {
    if (info === 'text') {
      const last = blocks.pop();
      if (last === undefined) throw new Error(`line ${place.line}: output of no command`);
      blocks.push({ ...last, shown: [...last.shown, ...text.split('\n')] });
    } else if (/^(bash|shell|console|sh)\b/.test(info)) {
      blocks.push(blockOf(info, { ...place, code: text }));
    }
  }
  return blocks;
}

function blockOf(info: string, place: Place): Block {
  const [, exitCode] = /^sh exit (\d+)$/.exec(info) ?? [];
  const [, why] = /^sh clean-machine: (.{10,})$/.exec(info) ?? [];
  if (info === 'sh') return { kind: 'run', ...place, exitCode: 0, shown: [] };
  if (exitCode !== undefined) {
    return { kind: 'run', ...place, exitCode: Number(exitCode), shown: [] };
  }
  if (info === 'sh terminal') return { kind: 'terminal', ...place, shown: [] };
  if (why !== undefined) return { kind: 'clean-machine', ...place, why, shown: [] };
  throw new Error(`line ${place.line}: nobody knows how \`${info}\` is meant`);
}

function* fencesOf(page: string) {
  const fences = /^```([^\n]*)\n(.*?)^```$/gms;
  for (const { 1: info = '', 2: text = '', index } of page.matchAll(fences)) {
    const above = page.slice(0, index);
    const chapter =
      above
        .match(/^## .*$/gm)
        ?.at(-1)
        ?.slice('## '.length) ?? '';
    const line = above.split('\n').length;
    yield { info: info.trim(), line, chapter, text: text.trimEnd() };
  }
}

/**
 * The first line of what a guide shows that the output lacks, looked for in order; undefined when all are
 * there. `…` stands for anything in a line, and blanks for any number of them: widths follow ids.
 */
export function missingLine(shown: readonly string[], output: string): string | undefined {
  const lines = output.split('\n');
  let from = 0;
  for (const each of shown) {
    if (/^\s*…?\s*$/.test(each)) continue;
    const pattern = patternOf(each);
    const at = lines.findIndex((line, index) => index >= from && pattern.test(line.trim()));
    if (at < 0) return each;
    from = at + 1;
  }
  return undefined;
}

function patternOf(line: string): RegExp {
  const parts = line
    .trim()
    .split('…')
    .map((part) => {
      const escaped = part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
      return escaped.replaceAll(/\s+/g, '\\s+');
    });
  return new RegExp(`^${parts.join('.*')}$`);
}
