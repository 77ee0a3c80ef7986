import { node, type SyntaxNode } from './syntax-tree.ts';
import type { TokenCursor } from './token-cursor.ts';

/** `import a.b as c, d` */
export function parseImport(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take('Import').start;
  const children: SyntaxNode[] = [];
  do {
    const { start } = cursor.token;
    const text = parseDottedName(cursor);
    children.push(node('import-name', { at: start, text, ...parseAlias(cursor) }));
  } while (cursor.accept('Comma'));
  return node('import', { at, children });
}

/** `from a.b import (c as d, e)` and `from . import *` */
export function parseFrom(cursor: TokenCursor): SyntaxNode {
  const at = cursor.take('From').start;
  let text = '';
  while (cursor.kind === 'Dot' || cursor.kind === 'Ellipsis') {
    text += cursor.take().kind === 'Dot' ? '.' : '...';
  }
  if (cursor.kind !== 'Import') text += parseDottedName(cursor);
  cursor.take('Import');
  return node('import-from', { at, text, children: parseMembers(cursor) });
}

function parseMembers(cursor: TokenCursor): SyntaxNode[] {
  if (cursor.kind === 'Star') {
    return [node('import-member', { at: cursor.take().start, text: '*' })];
  }
  const members: SyntaxNode[] = [];
  const bracketed = cursor.accept('Lpar');
  do {
    if (cursor.kind === 'Rpar') break;
    const name = cursor.take('Identifier');
    const text = cursor.text(name);
    members.push(node('import-member', { at: name.start, text, ...parseAlias(cursor) }));
  } while (cursor.accept('Comma'));
  if (bracketed) cursor.take('Rpar');
  return members;
}

function parseDottedName(cursor: TokenCursor): string {
  let name = cursor.text(cursor.take('Identifier'));
  while (cursor.accept('Dot')) name += `.${cursor.text(cursor.take('Identifier'))}`;
  return name;
}

function parseAlias(cursor: TokenCursor): { alias: string } | Record<string, never> {
  return cursor.accept('As') ? { alias: cursor.text(cursor.take('Identifier')) } : {};
}
