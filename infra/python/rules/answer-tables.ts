/**
 * Answers that the file brings along: encoded, as tables of constants nobody can read, keyed by
 * task, or as ids of products. What such tables are made of is described where it is found:
 * encoded-text, keyed-answers, product-ids.
 */
import { isAttributeRead, isNameRead } from '../syntax-tree.ts';
import { codesIn, isEncoded, isOpaqueName, opaqueWords, spellsText } from './encoded-text.ts';
import { type DataText, dataTexts } from './integrity-literals.ts';
import { checkKeyedAnswers } from './keyed-answers.ts';
import { identifiersOf, listsOfNames } from './named-data.ts';
import { checkProductIds } from './product-ids.ts';
import { onceAFile, type RuleContext } from './rule-context.ts';

// A SHA-512 digest has 155 decimal digits, a 256-bit prime 78.
const integerDigitsMax = 160;
const opaqueConstantsMin = 48;
const opaqueNumbersMin = 1000;
const byteListMin = 300;
const significantDigits = 5;

export function checkAnswerTables(context: RuleContext): void {
  const texts = dataTexts(context);
  const names = identifiersOf(context);
  checkTexts(context, texts);
  checkNames(context);
  checkNumbers(context);
  checkOpaqueConstants(context, texts, names);
  checkKeyedAnswers(context, texts);
  checkProductIds(context, texts, names);
}

function checkTexts(context: RuleContext, texts: readonly DataText[]): void {
  const spells = makesText(context);
  for (const { value, at } of texts) {
    if (!isEncoded(value) && !(spells && spellsText(codesIn(value)))) continue;
    context.findings.push({ rule: 'encoded-data', message: 'this text is encoded data', at });
  }
}

function checkNames(context: RuleContext): void {
  for (const { value, at } of listsOfNames(context)) {
    if (!isEncoded(value)) continue;
    const message = 'these names are encoded data, one after the other';
    context.findings.push({ rule: 'encoded-data', message, at });
  }
}

/** Does the file turn numbers into characters? Then a list of numbers may be a text. */
const makesText = onceAFile(({ ofKind }) => {
  const makers = new Set(['chr', 'bytes', 'bytearray', 'decode']);
  return ofKind('name', 'binding', 'attribute', 'store-attribute').some(
    (node) => makers.has(node.text) && (isNameRead(node) || isAttributeRead(node)),
  );
});

function checkNumbers(context: RuleContext): void {
  const { ofKind, findings } = context;
  const spells = makesText(context);
  let flat = 0;
  for (const node of ofKind('number', 'display')) {
    if (node.kind === 'number' && node.text.length > integerDigitsMax) {
      findings.push({
        rule: 'encoded-data',
        message: 'a number this long is encoded data',
        at: node.at,
      });
    }
    if (node.kind !== 'display') continue;
    const numbers = node.children.filter(({ kind }) => kind === 'number');
    if (numbers.length < node.children.length || numbers.length === 0) continue;
    const codes = numbers.map(({ text }) => Number(text.replaceAll('_', '')));
    if (isByteList(codes) || (spells && spellsText(codes))) {
      const message = 'this list of numbers is a text or data in bytes';
      findings.push({ rule: 'encoded-data', message, at: node.at });
    }
    const before = flat;
    flat += numbers.filter(({ text }) => isPrecise(text)).length;
    if (before < opaqueNumbersMin && flat >= opaqueNumbersMin) {
      const message = `the file holds ${opaqueNumbersMin} numbers or more that nothing names, as embeddings of known products would be`;
      findings.push({ rule: 'opaque-table', message, at: node.at });
    }
  }
}

/** Every byte is there, in no order; a table of 256 is an alphabet or a permutation. */
function isByteList(codes: readonly number[]): boolean {
  if (codes.length < byteListMin || !codes.every((code) => code < 256 && Number.isInteger(code)))
    return false;
  const falls = codes.filter((code, i) => code < (codes[i - 1] ?? 0)).length;
  return falls > codes.length * 0.2;
}

function isPrecise(text: string): boolean {
  const digits = text
    .replace(/[eE][+-]?\d+$/, '')
    .replace(/[._]/g, '')
    .replace(/^0x/i, '');
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end).replace(/^0+/, '').length >= significantDigits;
}

/** Hashes, ids and scraps of base64 anywhere in the file, in its names too, however they are spread over it. */
function checkOpaqueConstants(
  { ofKind, findings }: RuleContext,
  texts: readonly DataText[],
  names: readonly DataText[],
): void {
  const seen = new Set<string>();
  let first: number | null = null;
  const see = (word: string, at: number): void => {
    seen.add(word);
    first ??= at;
  };
  for (const { value, at } of texts) for (const word of opaqueWords(value)) see(word, at);
  for (const { value, at } of names) if (isOpaqueName(value)) see(value, at);
  for (const { text, at } of ofKind('number')) {
    if (/^(?:0x[0-9a-f]{15,}|\d{15,})$/i.test(text.replaceAll('_', ''))) see(text, at);
  }
  if (first === null || seen.size < opaqueConstantsMin) return;
  const message = `the file holds ${seen.size} hashes, identifiers or encoded strings`;
  findings.push({ rule: 'opaque-table', message, at: first });
}
