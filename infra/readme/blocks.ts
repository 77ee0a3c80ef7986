import { machineDiagrams } from '../../machines/diagram.ts';
import { configTable } from '../config/config-table.ts';
import { rulesTable } from '../python/rules-table.ts';

/** The parts of the README that are printed from the code, by the name of their block. */
export function readmeBlocks(): ReadonlyMap<string, string> {
  return new Map([
    ['config', configTable()],
    ['machines', machineDiagrams()],
    ['rules', rulesTable()],
  ]);
}

/**
 * `text` with every `<!-- NAME:begin -->` … `<!-- NAME:end -->` filled anew. Throws when a block is
 * missing, so that none is forgotten, and when the text has one that nobody fills.
 */
export function withBlocks(text: string, blocks: ReadonlyMap<string, string>): string {
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
