import type { CodeVerdict } from '../ports/code-analysis.ts';
import { moduleRules } from './allowed-modules.ts';
import { refuseIdleEntryPoint } from './entry-point.ts';
import { type EndedReading, verdictOf } from './file-reading.ts';
import { FileRefused } from './file-refused.ts';
import { type Finding, type InsecureLibrary, toViolation } from './finding.ts';
import { parseFile } from './parse-file.ts';
import { referentsOf } from './referents.ts';
import type { Ruff } from './ruff.ts';
import { withoutBareRaises } from './ruff-blind-spots.ts';
import { checkAnswerTables } from './rules/answer-tables.ts';
import { checkBuiltins } from './rules/builtins.ts';
import { checkClassTrust } from './rules/class-trust.ts';
import { checkDunders } from './rules/dunders.ts';
import { checkFormatStrings } from './rules/format-strings.ts';
import { checkImports } from './rules/imports.ts';
import { checkLogFormats } from './rules/log-formats.ts';
import { checkMadeUpObjects } from './rules/made-up-objects.ts';
import { checkModuleUse } from './rules/module-use.ts';
import { checkPrivateNames } from './rules/private-names.ts';
import { defaultProductIdPattern } from './rules/product-ids.ts';
import type { RuleContext } from './rules/rule-context.ts';
import { checkStreamKeepers } from './rules/stream-keepers.ts';
import { checkTypeUse } from './rules/type-use.ts';
import type { SandboxProfile } from './sandbox-profile.ts';
import { scopesOf } from './scopes.ts';
import { withShortLines } from './short-lines.ts';
import { readSourceFile, type SourceFile } from './source-file.ts';
import { insteadOfLibrary } from './suggestions.ts';
import { allNodesOf, nodesOfKinds, type SyntaxNode } from './syntax-tree.ts';
import type { Token } from './token.ts';
import { refuseTooManyTokens } from './token-count.ts';
import { TokenCursor } from './token-cursor.ts';
import { isEmpty, refuseBeyondLimits } from './token-limits.ts';

// More would not help a miner and would make a hostile file's answer as large as the file.
const violationsMax = 100;
const librariesNamedMax = 10;

/** Reads and judges one file. Pure but for ruff's memory; does not bound its own time. */
export function readAndJudge(file: Uint8Array, ruff: Ruff, profile: SandboxProfile): EndedReading {
  let source: SourceFile | null = null;
  try {
    source = readSourceFile(file);
    refuseTooManyTokens(source.bytes);
    const tokens = ruff.tokens(source.text);
    if (isEmpty(tokens)) return { kind: 'empty' };
    refuseBeyondLimits(tokens);
    return { kind: 'judged', verdict: judge(source, parse(source, tokens, ruff), profile) };
  } catch (error) {
    if (error instanceof FileRefused) return unreadable(error.message, lineOf(error, source));
    // The tree is as deep as the file is nested; running out of stack is the file's doing.
    if (error instanceof RangeError) return unreadable('the file is too deeply nested to analyse');
    throw error;
  }
}

function unreadable(reason: string, line?: number): EndedReading {
  return { kind: 'unreadable', reason, ...(line !== undefined && { line }) };
}

/** The verdict on one file if CPython has nothing to say against it. */
export function analyseFile(file: Uint8Array, ruff: Ruff, profile: SandboxProfile): CodeVerdict {
  return verdictOf(readAndJudge(file, ruff, profile));
}

function lineOf({ place }: FileRefused, source: SourceFile | null): number | undefined {
  if (place === null) return undefined;
  return 'line' in place ? place.line : source?.lineAt(place.offset);
}

/**
 * Our own parser goes first: it stops at the first error, while ruff describes every one and needs
 * seconds and gigabytes for a file of nothing else. What ruff does not take for Python is not
 * read, because its tokens may then be guesses.
 */
function parse(source: SourceFile, tokens: readonly Token[], ruff: Ruff): SyntaxNode {
  const text = withoutBareRaises(source, tokens);
  const read = text === source.text ? tokens : ruff.tokens(text);
  const tree = parseFile(new TokenCursor(source, read));
  const short = withShortLines(source, text, read);
  const error = ruff.syntaxError(short.text);
  if (error === null) return tree;
  throw new FileRefused(error.message, { line: short.lineOf(error.start_location.row) });
}

function judge(source: SourceFile, tree: SyntaxNode, profile: SandboxProfile): CodeVerdict {
  const context = ruleContextOf(source, tree, profile);
  const { scopes, insecure, findings } = context;
  if (profile.entryPoint !== undefined) refuseIdleEntryPoint(profile.entryPoint, scopes, source);
  applyRules(context);
  if (insecure.length > 0) return insecureLibraries(source, insecure);
  return findings.length === 0 ? { kind: 'clean' } : violations(source, findings);
}

export function ruleContextOf(
  source: SourceFile,
  tree: SyntaxNode,
  { agentPackages, productIdPattern = defaultProductIdPattern }: SandboxProfile,
): RuleContext {
  const modules = moduleRules(agentPackages);
  const scopes = scopesOf(tree, modules);
  const referents = referentsOf(scopes, modules);
  const nodes = allNodesOf(tree);
  return {
    ...{ source, nodes, scopes, referents, modules, productIdPattern },
    ofKind: nodesOfKinds(nodes),
    ...{ findings: [], insecure: [] },
  };
}

/** An insecure library is said alone, so nothing is looked for behind one. */
export function applyRules(context: RuleContext): void {
  checkImports(context);
  checkModuleUse(context);
  if (context.insecure.length > 0) return;
  checkBuiltins(context);
  checkTypeUse(context);
  checkClassTrust(context);
  checkDunders(context);
  checkPrivateNames(context);
  checkStreamKeepers(context);
  checkFormatStrings(context);
  checkLogFormats(context);
  checkMadeUpObjects(context);
  checkAnswerTables(context);
}

function insecureLibraries(source: SourceFile, libraries: readonly InsecureLibrary[]): CodeVerdict {
  const first = libraries.toSorted((a, b) => a.at - b.at).slice(0, librariesNamedMax);
  const named = first.map(
    ({ library, at }) => `'${library.slice(0, 100)}' (line ${source.lineAt(at)})`,
  );
  const noun = named.length === 1 ? 'insecure library' : 'insecure libraries';
  const instead = new Set(first.map(({ library }) => insteadOfLibrary(library)));
  const said = [named.join(', '), ...instead].filter((each) => each !== null);
  return { kind: 'invalid', detail: `InvalidFileError: ${noun} ${said.join('; ')}` };
}

function violations(source: SourceFile, findings: readonly Finding[]): CodeVerdict {
  const first = findings.toSorted((a, b) => a.at - b.at).slice(0, violationsMax);
  return { kind: 'violations', violations: first.map((finding) => toViolation(source, finding)) };
}
