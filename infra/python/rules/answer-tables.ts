/**
 * Answers carried in the file in a form nobody can read: encoded blobs and tables of hashes. The
 * limits are far above what honest code holds (a checksum, a certificate's digest, a colour map)
 * and below what a table of answers needs. Prose, word lists and prompts of any length pass.
 */

import { literalValue } from '../string-literal.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import type { RuleContext } from './rule-context.ts';

const encodedRunMin = 400;
const hexRunMin = 256;
const denseRunMin = 1000;
const binaryLengthMin = 400;
const integerDigitsMax = 300;
const opaqueEntriesMin = 64;
const byteListMin = 512;

export function checkAnswerTables(context: RuleContext): void {
  const { findings, source } = context;
  for (const node of context.nodes) {
    const { at } = node;
    if (node.kind === 'string' && isEncoded(literalValue(source, node))) {
      const message =
        'encoded data is not accepted; an agent must hold its knowledge in readable form';
      findings.push({ rule: 'encoded-data', message, at });
    } else if (node.kind === 'number' && node.text.length > integerDigitsMax) {
      const message = 'a number this long is encoded data, which is not accepted';
      findings.push({ rule: 'encoded-data', message, at });
    } else if (node.kind === 'display' && isOpaqueTable(node, context)) {
      const message =
        'a table of hashes or encoded strings is not accepted; an agent must work out its answers';
      findings.push({ rule: 'opaque-table', message, at });
    }
  }
}

function isEncoded(value: string): boolean {
  if (value.length < hexRunMin) return false;
  // Blobs are often wrapped at 76 characters.
  const joined = value.replace(/\s*\n\s*/g, '');
  return (
    runs(joined, /[0-9a-fA-F]+/g, hexRunMin).some((run) => new Set(run).size >= 10) ||
    runs(joined, /[A-Za-z0-9+/_=-]+/g, encodedRunMin).some((run) => bitsPerCharacter(run) > 5) ||
    runs(joined, /[!-~]+/g, denseRunMin).some((run) => bitsPerCharacter(run) > 5.8) ||
    isBinary(value)
  );
}

function runs(text: string, pattern: RegExp, lengthMin: number): string[] {
  return Array.from(text.matchAll(pattern), ([run]) => run).filter(
    (run) => run.length >= lengthMin,
  );
}

/** Shannon entropy: random base64 has 6 bits, base85 6.4, English without spaces about 4.2. */
function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function isBinary(value: string): boolean {
  if (value.length < binaryLengthMin) return false;
  let controls = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    // Latin-1 letters are kept apart from C1 controls, so that European prose is not binary.
    const isControl =
      (code < 32 && code !== 9 && code !== 10 && code !== 13) || (code > 126 && code < 160);
    if (isControl) controls += 1;
  }
  return controls > value.length * 0.1;
}

function isOpaqueTable(display: SyntaxNode, { source }: RuleContext): boolean {
  const entries = display.children;
  if (entries.length < opaqueEntriesMin) return false;
  const strings = entries.filter(({ kind }) => kind === 'string');
  const opaque = strings.filter((entry) => isOpaque(literalValue(source, entry))).length;
  const numbers = entries.filter(({ kind }) => kind === 'number');
  const hashes = numbers.filter(({ text }) => /^(?:0x)?[0-9a-fA-F_]{15,}$/.test(text)).length;
  // In a dictionary every other entry is a key, so half of the entries is a whole column.
  const many = Math.max(opaqueEntriesMin, entries.length * 0.4);
  return opaque >= many || hashes >= many || isByteList(entries.length, numbers);
}

function isByteList(length: number, numbers: readonly SyntaxNode[]): boolean {
  if (length < byteListMin || numbers.length < length) return false;
  return numbers.every(({ text }) => Number(text) < 256 && Number.isInteger(Number(text)));
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const hexDigits = /^[0-9a-f]{16,}$/i;
const mixed = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/=]{16,}$/;

/** Hashes, identifiers and base64, but not slugs, model names or paths. */
function isOpaque(value: string): boolean {
  return uuid.test(value) || hexDigits.test(value) || mixed.test(value);
}
