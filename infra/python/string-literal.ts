import type { SourceFile } from './source-file.ts';
import type { SyntaxNode } from './syntax-tree.ts';
import type { Token } from './token.ts';

const simpleEscapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\n': '' },
  ...{ '\\': '\\', "'": "'", '"': '"' },
};
const escapes =
  /\\(?:(\n|[\\'"abfnrtv])|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]*)\})/g;
const bytesEscapes = /\\(?:(\n|[\\'"abfnrtv])|([0-7]{1,3})|x([0-9a-fA-F]{2}))/g;
// What a character named by \N{…} becomes: none of the rules' patterns, and refused as a name.
const unknownCharacter = '\ufffd';

/** The value of a string or bytes literal, without the expressions of an f-string. */
export function literalValue(source: SourceFile, string: SyntaxNode): string {
  // Ten rules ask, and decoding is dear.
  string.literal ??= (string.pieces ?? []).map((piece) => pieceValue(source, piece)).join('');
  return string.literal;
}

/** The value of a literal that has no expressions in it, otherwise undefined. */
export function constantString(
  source: SourceFile,
  node: SyntaxNode | undefined,
): string | undefined {
  if (node?.kind !== 'string' || node.children.length > 0) return undefined;
  return literalValue(source, node);
}

function pieceValue(source: SourceFile, { kind, start, end, flags }: Token): string {
  // Whatever ends a line in the file, CPython reads a line feed.
  const text = source.slice(start, end).replace(/\r\n?/g, '\n');
  const body = kind === 'String' ? unquoted(text, flags) : text;
  const plain = kind === 'FStringMiddle' ? body.replace(doubledBraces, '$1') : body;
  return flags.includes('RAW_STRING') ? plain : unescaped(plain, flags.includes('BYTE'));
}

// The braces of a character's name never stand doubled.
const doubledBraces = /([{}])\1/g;

function unescaped(body: string, isBytes: boolean): string {
  if (!body.includes('\\')) return body;
  return body.replace(isBytes ? bytesEscapes : escapes, (_, simple, octal, ...codes) => {
    if (simple !== undefined) return simpleEscapes[simple] ?? '';
    if (octal === undefined) return codePoint(codes.slice(0, 3).find((hex) => hex !== undefined));
    const code = Number.parseInt(octal, 8);
    return String.fromCodePoint(isBytes ? code & 0xff : code);
  });
}

function codePoint(hex: string | undefined): string {
  const code = hex === undefined ? Number.NaN : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : unknownCharacter;
}

function unquoted(text: string, flags: string): string {
  const quotes = flags.includes('TRIPLE_QUOTED') ? 3 : 1;
  const open = text.search(/['"]/) + quotes;
  return text.slice(open, text.length - quotes);
}
