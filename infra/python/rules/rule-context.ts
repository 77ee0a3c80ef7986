import type { ModuleRules } from '../allowed-modules.ts';
import type { Finding, InsecureLibrary } from '../finding.ts';
import type { Referents } from '../referents.ts';
import type { Scopes } from '../scopes.ts';
import type { SourceFile } from '../source-file.ts';
import type { NodesOfKinds, SyntaxNode } from '../syntax-tree.ts';

/** All that a rule looks at, and the two places where it puts what it finds. */
export interface RuleContext {
  readonly source: SourceFile;
  /** Every node of the file. */
  readonly nodes: readonly SyntaxNode[];
  readonly ofKind: NodesOfKinds;
  readonly scopes: Scopes;
  readonly referents: Referents;
  readonly modules: ModuleRules;
  /** What ids of products look like, as the source of a regular expression. */
  readonly productIdPattern: string;
  readonly findings: Finding[];
  readonly insecure: InsecureLibrary[];
}

/** A question about a whole file, answered once for it however often it is asked. */
export function onceAFile<T>(ask: (context: RuleContext) => T): (context: RuleContext) => T {
  const answers = new WeakMap<object, { readonly answer: T }>();
  return (context) => {
    const known = answers.get(context.scopes) ?? { answer: ask(context) };
    answers.set(context.scopes, known);
    return known.answer;
  };
}
