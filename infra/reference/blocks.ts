import { machineDiagrams } from '../../machines/diagram.ts';
import { configTables } from '../config/config-table.ts';
import { rulesTable } from '../python/rules-table.ts';
import { decisionsTable } from './decisions-table.ts';
import { reasonBlocks } from './reasons-table.ts';

type Blocks = ReadonlyMap<string, string>;

/** The pages that have printed parts, as this folder names them, and these by the name of their block. */
export function generatedPages(): ReadonlyMap<string, Blocks> {
  return new Map([
    ['../decisions/README.md', new Map([['decisions', decisionsTable()]])],
    ['configuration.md', new Map([['config', configTables()]])],
    ['reasons.md', reasonBlocks()],
    ['state-machines.md', new Map([['machines', machineDiagrams()]])],
    ['submission-rules.md', new Map([['rules', rulesTable()]])],
  ]);
}

/**
 * `text` with every `<!-- NAME:begin -->` … `<!-- NAME:end -->` filled anew. Throws when a block is
 * missing, so that none is forgotten, and when the text has one that nobody fills.
 */
export function withBlocks(text: string, blocks: Blocks): string {
  const stray = markedNames(text).filter((name) => !blocks.has(name));
  if (stray.length > 0) throw new Error(`nothing fills the blocks ${stray.join(', ')}`);
  return [...blocks].reduce((filled, [name, content]) => withBlock(filled, name, content), text);
}

function withBlock(text: string, name: string, content: string): string {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the text needs ${begin} and, below it, ${end}`);
  return `${text.slice(0, from)}${begin}\n\n${content.trim()}\n\n${text.slice(to)}`;
}

function markedNames(text: string): string[] {
  return [...text.matchAll(/<!-- ([a-z-]+):begin -->/g)].map(([, name = '']) => name);
}
