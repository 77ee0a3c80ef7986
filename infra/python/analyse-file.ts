import type { CodeVerdict } from '../ports/code-analysis.ts';
import { moduleRules } from './allowed-modules.ts';
import { FileRefused } from './file-refused.ts';
import { type Finding, type InsecureLibrary, toViolation } from './finding.ts';
import { parseFile } from './parse-file.ts';
import { referentsOf } from './referents.ts';
import type { Ruff } from './ruff.ts';
import { checkAnswerTables } from './rules/answer-tables.ts';
import { checkBuiltins } from './rules/builtins.ts';
import { checkDunders } from './rules/dunders.ts';
import { checkFormatStrings } from './rules/format-strings.ts';
import { checkImports } from './rules/imports.ts';
import { checkModuleUse } from './rules/module-use.ts';
import { defaultProductIdPattern } from './rules/product-ids.ts';
import type { RuleContext } from './rules/rule-context.ts';
import type { SandboxProfile } from './sandbox-profile.ts';
import { scopesOf } from './scopes.ts';
import { readSourceFile, type SourceFile } from './source-file.ts';
import { nodesOf, type SyntaxNode } from './syntax-tree.ts';
import { TokenCursor } from './token-cursor.ts';
import { refuseBeyondLimits, refuseEmpty } from './token-limits.ts';

// More would not help a miner and would make a hostile file's answer as large as the file.
const violationsMax = 100;
const librariesNamedMax = 10;

/** The verdict on one file. Pure but for ruff's memory; does not bound its own time. */
export function analyseFile(file: Uint8Array, ruff: Ruff, profile: SandboxProfile): CodeVerdict {
  let source: SourceFile | null = null;
  try {
    source = readSourceFile(file);
    const tree = parse(source, ruff);
    return judge(source, tree, profile);
  } catch (error) {
    if (error instanceof FileRefused) return invalid(error.message, lineOf(error, source));
    // The tree is as deep as the file is nested; running out of stack is the file's doing.
    if (error instanceof RangeError) return invalid('the file is too deeply nested to analyse');
    throw error;
  }
}

export function invalid(reason: string, line?: number): CodeVerdict {
  const where = line === undefined ? '' : ` (line ${line})`;
  return { kind: 'invalid', detail: `InvalidFileError: ${reason}${where}` };
}

function lineOf({ place }: FileRefused, source: SourceFile | null): number | undefined {
  if (place === null) return undefined;
  return 'line' in place ? place.line : source?.position(place.offset).line;
}

/**
 * Our own parser goes first: it stops at the first error, while ruff's checker describes every one
 * and needs seconds and gigabytes for a file of nothing else.
 */
function parse(source: SourceFile, ruff: Ruff): SyntaxNode {
  const tokens = ruff.tokens(source.text);
  refuseEmpty(tokens);
  refuseBeyondLimits(tokens);
  try {
    const tree = parseFile(new TokenCursor(source, tokens));
    refuseSyntaxError(ruff, source.text, Number.POSITIVE_INFINITY);
    return tree;
  } catch (error) {
    if (error instanceof FileRefused) explain(error, source, ruff);
    throw error;
  }
}

function refuseSyntaxError(ruff: Ruff, text: string, lineMax: number): void {
  const error = ruff.syntaxError(text);
  if (error === null || error.start_location.row > lineMax) return;
  throw new FileRefused(error.message, { line: error.start_location.row });
}

// Longer lines are not worth ruff's better words.
const explainedLineBytesMax = 2000;

/** Lets ruff say in its own words what is wrong, shown only what precedes the error. */
function explain({ place }: FileRefused, { bytes, position, slice }: SourceFile, ruff: Ruff): void {
  if (place === null || 'line' in place) return;
  const lineEnd = bytes.indexOf('\n', place.offset);
  const end = lineEnd === -1 ? bytes.length : lineEnd;
  if (end - place.offset > explainedLineBytesMax) return;
  refuseSyntaxError(ruff, slice(0, end), position(place.offset).line);
}

function judge(
  source: SourceFile,
  tree: SyntaxNode,
  { agentPackages, entryPoint, productIdPattern = defaultProductIdPattern }: SandboxProfile,
): CodeVerdict {
  const scopes = scopesOf(tree);
  if (entryPoint !== undefined && !scopes.moduleNames.has(entryPoint)) {
    throw new FileRefused(`the file defines no '${entryPoint}', which the sandbox calls`);
  }
  const modules = moduleRules(agentPackages);
  const referents = referentsOf(scopes, modules);
  const nodes = [...nodesOf(tree)];
  const context: RuleContext = {
    ...{ source, nodes, scopes, referents, modules, productIdPattern },
    ...{ findings: [], insecure: [] },
  };
  checkImports(context);
  checkModuleUse(context);
  if (context.insecure.length > 0) return insecure(source, context.insecure);
  checkBuiltins(context);
  checkDunders(context);
  checkFormatStrings(context);
  checkAnswerTables(context);
  return context.findings.length === 0 ? { kind: 'clean' } : violations(source, context.findings);
}

function insecure(source: SourceFile, libraries: readonly InsecureLibrary[]): CodeVerdict {
  const named = libraries
    .toSorted((a, b) => a.at - b.at)
    .slice(0, librariesNamedMax)
    .map(({ library, at }) => `'${library.slice(0, 100)}' (line ${source.position(at).line})`);
  const noun = named.length === 1 ? 'insecure library' : 'insecure libraries';
  return { kind: 'invalid', detail: `InvalidFileError: ${noun} ${named.join(', ')}` };
}

function violations(source: SourceFile, findings: readonly Finding[]): CodeVerdict {
  const first = findings.toSorted((a, b) => a.at - b.at).slice(0, violationsMax);
  return { kind: 'violations', violations: first.map((finding) => toViolation(source, finding)) };
}
