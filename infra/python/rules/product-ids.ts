/**
 * Ids of products written into the file. An agent finds products by searching; one that names them
 * knew the answer before the question. What is an id is a pattern (`PRODUCT_ID_PATTERN`), so the
 * thresholds leave room for numbers that only look like one:
 *
 * - up to 2 different ids as strings of their own (a value, an alternative of a regex), and up to 2
 *   as numbers (a population, a prime)
 * - up to 3 that something stands around which `int` or a slice takes off again, as telephone numbers
 *   are written too: a sign, zeros or up to three letters in front, `.0` behind, underscores between thousands;
 *   as such count those in the names of variables, members and keywords
 * - up to 2 in one text, 3 of the latter, or any number as long as they are less than 1/25 of it (examples in a
 *   prompt); up to 11 in all texts together
 * - comments and docstrings do not count, nor do made-up ids (1234567890, 1000000001, 5555555555)
 *   nor the constants of hash functions and random generators, nor instants on the minute
 */
import type { SyntaxNode } from '../syntax-tree.ts';
import type { DataText } from './integrity-literals.ts';
import { asciiDigits, integerOf, remembered, undisguised, wholeOf } from './number-spellings.ts';
import type { RuleContext } from './rule-context.ts';

/** Nine to eleven digits, as large marketplaces number their products. */
export const defaultProductIdPattern = '[1-9][0-9]{8,10}';

const ownValuesMax = 2;
const disguisedMax = 3;
const inOneTextMax = 2;
const shareOfTextMax = 1 / 25;
const inAllTextsMax = 11;
const reportedMax = 10;

interface Sighting {
  readonly id: string;
  readonly at: number;
}

type Places = Map<string, number>;

/** Where each id was seen first, by how it stands there. */
interface Seen {
  readonly own: Places;
  readonly numbers: Places;
  readonly disguised: Places;
  readonly mentioned: Places;
  readonly dense: Sighting[];
}

export function checkProductIds(
  context: RuleContext,
  texts: readonly DataText[],
  names: readonly DataText[],
): void {
  const pattern = context.productIdPattern;
  const kinds = { own: new Map(), numbers: new Map(), disguised: new Map(), mentioned: new Map() };
  const seen: Seen = { ...kinds, dense: [] };
  for (const { value, at } of texts) lookAtText({ value: asciiDigits(value), at }, pattern, seen);
  for (const { id, at, isPlain } of numbersIn(context.ofKind('number', 'display'), pattern)) {
    note(isPlain ? seen.numbers : seen.disguised, [id], at);
  }
  for (const { value, at } of names) {
    note(seen.disguised, idsInName(asciiDigits(value), pattern), at);
  }
  const found = [
    ...sightingsBeyond(ownValuesMax, seen.own),
    ...sightingsBeyond(ownValuesMax, seen.numbers),
    ...sightingsBeyond(disguisedMax, seen.disguised),
    ...seen.dense,
    ...sightingsBeyond(inAllTextsMax, seen.mentioned),
  ];
  const { size: count } = new Set(Object.values(kinds).flatMap((each) => [...each.keys()]));
  const places = new Map(found.toSorted((a, b) => a.at - b.at).map((one) => [one.at, one]));
  for (const { id, at } of [...places.values()].slice(0, reportedMax)) {
    const message = `'${id}' looks like the id of a product, one of ${count} in the file`;
    context.findings.push({ rule: 'hard-coded-product-id', message, at });
  }
}

function lookAtText({ value, at }: DataText, pattern: string, seen: Seen): void {
  const ids = idsIn(value, pattern);
  const places = ids.length > 0 && isList(value, pattern) ? seen.own : seen.mentioned;
  note(places, ids, at);
  if (isDense(ids, value, inOneTextMax)) seen.dense.push({ id: ids[0] ?? '', at });
  const bare = undisguised(value, pattern);
  if (bare === value) return;
  const others = idsIn(bare, pattern).filter((id) => !places.has(id));
  if (isDense(others, bare, disguisedMax)) seen.dense.push({ id: others[0] ?? '', at });
  const isTable = others.length > 0 && isList(bare, pattern);
  note(isTable ? seen.disguised : seen.mentioned, others, at);
}

function isDense(ids: readonly string[], text: string, max: number): boolean {
  return ids.length > max && ids.join('').length / text.length > shareOfTextMax;
}

function note(places: Places, ids: readonly string[], at: number): void {
  for (const id of ids) if (!places.has(id)) places.set(id, at);
}

const sightingsBeyond = (max: number, seen: ReadonlyMap<string, number>): Sighting[] =>
  seen.size > max ? Array.from(seen, ([id, at]) => ({ id, at })) : [];

/** The different ids in a text, none of which is a part of a longer word or number. */
function idsIn(value: string, pattern: string): string[] {
  if (!/\d/.test(value)) return [];
  const ids = Array.from(value.matchAll(wordOf(pattern)), ([id]) => id);
  return [...new Set(ids)].filter((id) => !isMadeUp(id) && !isKnownNumber(id));
}

/** A name begins with a letter, so an id in it stands behind some: `p1827876443`, `answer_1827876443`. */
function idsInName(name: string, pattern: string): string[] {
  const parts = name.split('_');
  const words = [...parts, ...parts.map((part) => part.slice(1)), ...(name.match(/\d+/g) ?? [])];
  return [...new Set(words)].filter((word) => isId(word, pattern));
}

// A dot ends a sentence, but not a decimal number; `+` begins a telephone number.
const wordOf = remembered((pattern) => new RegExp(`(?<![\\w.+])(?:${pattern})(?!\\w|\\.\\d)`, 'g'));

/** Nothing but ids, separators and what a regular expression puts around them. */
function isList(value: string, pattern: string): boolean {
  return !/[\p{L}]/u.test(
    value.replace(wordOf(pattern), '').replace(/\\[a-zA-Z]|\(\?[a-zA-Z]+/g, ''),
  );
}

interface NumberSighting extends Sighting {
  /** Written in decimal digits. */
  readonly isPlain: boolean;
}

function numbersIn(nodes: readonly SyntaxNode[], pattern: string): NumberSighting[] {
  const found: NumberSighting[] = [];
  for (const node of nodes) {
    if (node.kind === 'number') {
      const { id, isPlain } = integerOf(node.text);
      if (isId(id, pattern)) found.push({ id, at: node.at, isPlain });
    } else if (node.kind === 'display') {
      const id = spelled(node);
      if (isId(id, pattern)) found.push({ id, at: node.at, isPlain: true });
    }
  }
  return found;
}

function isId(id: string, pattern: string): boolean {
  return id !== '' && wholeOf(pattern).test(id) && !isMadeUp(id) && !isKnownNumber(id);
}

/** `[53, 48, 51]`, the character codes of digits, or `["5", "0"]`. */
function spelled({ children }: SyntaxNode): string {
  if (children.length < 4 || children.length > 40) return '';
  const codes = children.map(({ kind, text }) => (kind === 'number' ? Number(text) : 0));
  return codes.every((code) => code >= 48 && code <= 57) ? String.fromCharCode(...codes) : '';
}

/** Nobody's product: few different digits, a long run of one digit, or digits that count up. */
function isMadeUp(id: string): boolean {
  if (!/^\d{8,}$/.test(id)) return false;
  return new Set(id).size <= 3 || /(\d)\1{4}/.test(id) || /12345678|98765432|23456789/.test(id);
}

/** Constants of FNV, Murmur, xxHash, Knuth, linear congruential generators, primes, 2^31 and 2^32. */
const knownNumbers = new Set(
  (
    '2166136261 2654435761 2246822519 2246822507 3266489917 3266489909 668265263 374761393 ' +
    '1103515245 1013904223 1664525 22695477 134775813 214013 2531011 1812433253 2567483615 ' +
    '2636928640 4022730752 3432918353 461845907 2147483647 2147483648 4294967295 4294967296 ' +
    '4294967291 4294967279 998244353 1000000007 1000000009 2038074743 1540483477 3432918353 ' +
    '1181783497 6364136223 3141592653 2718281828 1618033988 1618033989 1414213562 1073741824 ' +
    '1073741823 536870912 268435456 8589934592 17179869184 3735928559 3405691582 299792458 ' +
    '4023233417 2562383102 271733878 3285377520 3988292384 1732584193 2147483629 2147483587'
  ).split(' '),
);

function isKnownNumber(id: string): boolean {
  const value = Number(id);
  const isInstant = value > 1.4e9 && value < 2.2e9 && (value % 60 === 0 || value % 60 === 59);
  return knownNumbers.has(id) || isInstant;
}
