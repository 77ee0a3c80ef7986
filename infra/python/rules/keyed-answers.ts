/** Answers looked up by the task: by its text, by the hash of its text, or by comparing the text. */
import type { Finding } from '../finding.ts';
import { constantString } from '../string-literal.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import { isShortHash } from './encoded-text.ts';
import type { DataText } from './integrity-literals.ts';
import type { RuleContext } from './rule-context.ts';
import { entryIn, type Pair } from './text-entry.ts';

const opaqueAnswersMin = 3;
// Examples for a model and answers to frequent questions are keyed by sentences too.
const sentenceKeysMin = 60;
const hashKeysMin = 8;
const sentencesComparedMin = 4;
const hashesComparedMin = 3;

export function checkKeyedAnswers(context: RuleContext, texts: readonly DataText[]): void {
  for (const node of context.ofKind('display')) {
    report(context, node.at, problemOf(pairsOf(node, context)));
  }
  for (const { value, at } of texts) report(context, at, problemOf(pairsInText(value)));
  checkComparisons(context);
}

function report({ findings }: RuleContext, at: number, message: string | null): void {
  const found: Finding | null = message === null ? null : { rule: 'answer-table', message, at };
  if (found !== null) findings.push(found);
}

function problemOf(pairs: readonly Pair[]): string | null {
  const sentences = pairs.filter(([key]) => isSentence(key));
  if (sentences.length >= sentenceKeysMin) {
    return `a table of ${sentences.length} whole sentences looks like tasks with their answers`;
  }
  if (sentences.filter(([, value]) => isCode(value)).length >= opaqueAnswersMin) {
    return 'a table from task texts to codes looks like tasks with their answers';
  }
  if (new Set(pairs.filter(([key]) => isShortHash(key)).map(([key]) => key)).size >= hashKeysMin) {
    return 'a table keyed by hashes looks like the hashes of tasks with their answers';
  }
  return null;
}

function isSentence(text: string): boolean {
  return text.length >= 30 && text.length < 2000 && text.trim().split(/\s+/, 6).length >= 5;
}

/** What an id looks like in any spelling: one word with digits in it, but not a size or a price. */
function isCode(text: string): boolean {
  return /^(?=(?:.*\d){3})[\w+/=.:-]{6,}$/.test(text);
}

/** Keys with values of a dictionary, firsts with seconds of a list of tuples. */
function pairsOf(display: SyntaxNode, { source }: RuleContext): Pair[] {
  const { children, text } = display;
  const textOf = (node: SyntaxNode | undefined): string => {
    if (node?.kind === 'number') return node.text;
    if (node?.kind === 'display') return node.children.length > 0 ? textOf(node.children[0]) : '';
    return constantString(source, node) ?? '';
  };
  const entries: (readonly SyntaxNode[])[] = [];
  if (text === '{') {
    const plain = children.filter(({ kind }) => kind !== 'star');
    for (let i = 0; i + 1 < plain.length; i += 2) entries.push(plain.slice(i, i + 2));
  } else {
    entries.push(...children.filter(({ kind }) => kind === 'display').map((each) => each.children));
  }
  return entries.flatMap(([key, value]) => {
    const name = constantString(source, key);
    return name === undefined ? [] : [[name, textOf(value)] as const];
  });
}

/** A table written as text: JSON, or a line for each entry. */
function pairsInText(value: string): Pair[] {
  if (value.length < 60) return [];
  const lines = value.includes('\n')
    ? value.split('\n')
    : value.split(/(?<=[\w"'\]]),(?=\s*["{[])/);
  if (lines.length < opaqueAnswersMin) return [];
  return lines.flatMap((line) => {
    if (line.length > 2000 || !/\d/.test(line)) return [];
    const entry = entryIn(line);
    return entry === null ? [] : [entry];
  });
}

const comparisons = new Set(['EqEqual', 'NotEqual', 'In', 'NotIn', 'Not']);
const comparingMethods = new Set(['startswith', 'endswith', '__eq__', '__contains__']);

/** `if task == "…": return …`, `case "…"`, `"…" in task`, again and again. */
function checkComparisons(context: RuleContext): void {
  const sentences = new Map<string, number>();
  const hashes = new Map<string, number>();
  for (const node of context.ofKind('string')) {
    if (!isCompared(node)) continue;
    const value = constantString(context.source, node) ?? '';
    if (isSentence(value)) sentences.set(value, node.at);
    else if (isShortHash(value)) hashes.set(value, node.at);
  }
  const [sentence, hash] = [[...sentences.values()][0], [...hashes.values()][0]];
  if (sentence !== undefined && sentences.size >= sentencesComparedMin) {
    const message = `${sentences.size} whole sentences are compared with, which looks like tasks with their answers`;
    report(context, sentence, message);
  }
  if (hash !== undefined && hashes.size >= hashesComparedMin) {
    report(
      context,
      hash,
      `${hashes.size} hashes are compared with, which looks like tasks with their answers`,
    );
  }
}

function isCompared(node: SyntaxNode): boolean {
  const { parent } = node;
  if (parent?.kind === 'operation' && parent.text.split(' ').some((one) => comparisons.has(one)))
    return true;
  if (parent?.kind === 'call') return comparingMethods.has(parent.children[0]?.text ?? '');
  return isCase(node);
}

const patternParts = new Set(['operation', 'display', 'pattern-class', 'pattern-keyword']);

/** `case "…"`, `case "…" | "…"`, `case ["…", _]`. */
function isCase(node: SyntaxNode): boolean {
  let at = node;
  while (at.parent !== null && patternParts.has(at.parent.kind)) at = at.parent;
  return at.parent?.text === 'match' && at.parent.kind === 'group' && at !== at.parent.children[0];
}
