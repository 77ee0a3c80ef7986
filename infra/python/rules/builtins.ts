import type { Problem } from '../finding.ts';
import { constantString } from '../string-literal.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import { isSafeAttributePath } from './attribute-names.ts';
import type { RuleContext } from './rule-context.ts';

const forbidden: Readonly<Record<string, string>> = {
  eval: 'strings must not be evaluated; parse them with json.loads or ast.literal_eval',
  exec: 'strings must not be executed',
  compile: 'strings must not be compiled; for patterns use re.compile',
  globals: 'the module namespace must not be read as a dictionary',
  locals: 'local variables must not be read as a dictionary',
  vars: 'objects must not be read as dictionaries; use dataclasses.asdict',
  breakpoint: 'the sandbox has no debugger',
  help: 'the sandbox has no interactive help',
  input: 'the sandbox has no terminal to read from',
  license: 'it reads files',
  credits: 'it reads files',
  copyright: 'it reads files',
  open: 'files must not be opened; keep what the agent needs in memory',
};
const attributeFunctions: Readonly<Record<string, number>> = { getattr: 3, setattr: 3, delattr: 2 };

/**
 * Python's own functions that read strings as code, reach any attribute or open files. Even the
 * bare name is refused: as a value it could be called under any other. A name that a function binds
 * itself is its own; at module level a binding counts from an unconditional statement on; elsewhere
 * it proves nothing, for it may not have run.
 */
export function checkBuiltins({ scopes, source, findings }: RuleContext): void {
  for (const load of scopes.loads) {
    const { text, at } = load.node;
    const reason = forbidden[text];
    const suspicious = reason !== undefined || text in attributeFunctions;
    if (!suspicious || !Object.hasOwn(guarded, text)) continue;
    if (scopes.resolve(load).certain) continue;
    if (reason !== undefined) {
      const rule = text === 'open' ? 'file-access' : 'forbidden-builtin';
      findings.push({ rule, message: `'${text}' is not accepted: ${reason}`, at });
      continue;
    }
    const problem = problemOfAttributeCall(load.node, (node) => constantString(source, node));
    if (problem !== null) findings.push({ ...problem, at });
  }
}

const guarded: Readonly<Record<string, unknown>> = { ...forbidden, ...attributeFunctions };

/** getattr(x, 'name') with the name written out is the same as x.name, which other rules see. */
function problemOfAttributeCall(
  node: SyntaxNode,
  constant: (node: SyntaxNode | undefined) => string | undefined,
): Problem | null {
  const { parent, text } = node;
  const message = `'${text}' is accepted only with the attribute's name written out, as ${text}(x, 'name')`;
  const problem: Problem = { rule: 'dynamic-attribute', message };
  if (parent?.kind !== 'call' || parent.children[0] !== node) return problem;
  const [, subject, name] = parent.children;
  const value = constant(name);
  if (subject?.kind === 'star' || value === undefined || value.includes('.')) return problem;
  if (!isSafeAttributePath(value)) return problem;
  const writes = text !== 'getattr' && value.startsWith('__') && value.endsWith('__');
  return writes ? problem : null;
}
