import type { Finding } from '../finding.ts';
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
// Harmless when bound anywhere: a miner's own `input` is a common name and the builtin only waits.
const harmlessOnceBound = new Set(['input', 'help', 'license', 'credits', 'copyright']);
const attributeFunctions: Readonly<Record<string, number>> = { getattr: 3, setattr: 3, delattr: 2 };

/**
 * Python's own functions that read strings as code, reach any attribute or open files. Even the
 * bare name is refused: as a value it could be called under any other. A name that a function binds
 * itself is its own; at module and class level a binding proves nothing, for it may not have run.
 */
export function checkBuiltins({ scopes, source, findings }: RuleContext): void {
  for (const load of scopes.loads) {
    const { text, at } = load.node;
    const reason = forbidden[text];
    const suspicious = reason !== undefined || text in attributeFunctions || text === 'type';
    if (!suspicious || !Object.hasOwn(guarded, text)) continue;
    const { bindings, certain } = scopes.resolve(load);
    if (certain || (harmlessOnceBound.has(text) && bindings.length > 0)) continue;
    if (reason !== undefined) {
      const rule = text === 'open' ? 'file-access' : 'forbidden-builtin';
      findings.push({ rule, message: `'${text}' is not accepted: ${reason}`, at });
      continue;
    }
    const problem =
      text === 'type'
        ? problemOfType(load.node)
        : problemOfAttributeCall(load.node, (node) => constantString(source, node));
    if (problem !== null) findings.push({ ...problem, at });
  }
}

const guarded: Readonly<Record<string, unknown>> = { ...forbidden, ...attributeFunctions, type: 1 };

type Problem = Omit<Finding, 'at'>;

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

/** type(x) tells a class, type(name, bases, members) makes one that no rule has seen. */
function problemOfType(node: SyntaxNode): Problem | null {
  const { parent } = node;
  const message = "classes must be written as class statements; 'type' is accepted as type(x)";
  const problem: Problem = { rule: 'dynamic-class', message };
  if (parent?.kind === 'call' && parent.children[0] === node) {
    const [, subject, ...more] = parent.children;
    return subject === undefined || subject.kind === 'star' || more.length > 0 ? problem : null;
  }
  // A bare `x = type` or `return type`; as a base class, in annotations and isinstance it is fine.
  return parent?.kind === 'group' && parent.parent?.kind !== 'class' ? problem : null;
}
