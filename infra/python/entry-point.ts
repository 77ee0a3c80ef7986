/**
 * What the sandbox calls on a task. It calls and does not wait: of what is made by `async def`, or
 * holds a `yield`, a call runs nothing, and a file that does nothing would earn its zeros unsaid. It gives
 * the problem alone: what takes no argument, or asks for more, fails at each task.
 */
import { FileRefused } from './file-refused.ts';
import { type LastBinding, lastBindingOf } from './last-binding.ts';
import type { Binding, Scopes } from './scopes.ts';
import type { SourceFile } from './source-file.ts';
import type { SyntaxNode } from './syntax-tree.ts';

/** Throws `FileRefused` where a call of the name cannot do a task's work. */
export function refuseIdleEntryPoint(name: string, scopes: Scopes, source: SourceFile): void {
  const bindings = boundTo(scopes.moduleBindings.get(name) ?? [], scopes);
  if (bindings.length === 0) {
    throw new FileRefused(`the file defines no '${name}', which the sandbox calls`);
  }
  const fault = lastFault(lastBindingOf(name, scopes, source), scopes) ?? faultOfAll(bindings);
  if (fault === null) return;
  const instead = `write a plain 'def ${name}(problem):' whose work is done when it returns`;
  const reason = `the sandbox calls '${name}'${words[fault.what]}: ${instead}`;
  throw new FileRefused(reason, { offset: fault.node.at });
}

function lastFault(last: LastBinding | null, scopes: Scopes): Fault | null {
  if (last === null) return null;
  if (last.kind !== 'bound') return { what: last.kind, node: last.node };
  return faultOf(aliased(last.binding, scopes));
}

/** Where one of several can be called, only a run tells which of them is. */
function faultOfAll(bindings: readonly Binding[]): Fault | null {
  const faults = bindings.map(faultOf);
  return faults.includes(null) ? null : (faults[0] ?? null);
}

const words = {
  async: ', which is an async function, of which a call runs nothing',
  yield: ', which is a generator function, of which a call runs nothing',
  none: ' with the problem alone, and it has no parameter for it',
  more: ' with the problem alone, and it asks for more than it',
  value: ', which is no function',
  deleted: ', which the file deletes again',
  'as-script':
    ', which is bound only under \'if __name__ == "__main__"\', and that does not run there',
} as const;
const aliasesMax = 8;

/** `name = other` is what the other name is; an annotation alone is nothing. */
function boundTo(bindings: readonly Binding[], scopes: Scopes): Binding[] {
  return bindings.map((each) => aliased(each, scopes)).filter(({ kind }) => kind !== 'annotated');
}

function aliased(binding: Binding, scopes: Scopes): Binding {
  let at = binding;
  for (let aliases = 0; aliases < aliasesMax && at.kind === 'value'; aliases += 1) {
    const [only, other] = scopes.bindingsOf(at.value);
    if (only === undefined || other !== undefined) break;
    at = only;
  }
  return at;
}

interface Fault {
  readonly what: keyof typeof words;
  readonly node: SyntaxNode;
}

function faultOf(binding: Binding): Fault | null {
  if (binding.kind === 'function') return faultOfFunction(binding.node);
  if (binding.kind !== 'value') return null;
  const { value } = binding;
  if (isPlainValue(value)) return { what: 'value', node: value };
  return value.kind === 'lambda' ? faultOfFunction(value) : null;
}

/** Around anything else brackets may only group. */
function isPlainValue({ kind, text }: SyntaxNode): boolean {
  if (kind === 'display') return text.startsWith('[') || text.startsWith('{');
  return kind === 'constant' || kind === 'number' || kind === 'string';
}

function faultOfFunction(node: SyntaxNode): Fault | null {
  const [outside, inside] = node.children;
  // A decorator may run what it is given, and give it more.
  if (outside?.children.some(({ text, children }) => text === '@' && children.length > 0))
    return null;
  if (outside?.text === 'async') return { what: 'async', node };
  if (inside === undefined) return null;
  if (yields(inside)) return { what: 'yield', node };
  return inside.text === 'none' || inside.text === 'more' ? { what: inside.text, node } : null;
}

function yields(body: SyntaxNode): boolean {
  const pending = [body];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === 'group' && next.text === 'yield') return true;
    const isOther = next.kind === 'function' || next.kind === 'lambda' || next.kind === 'class';
    for (const child of isOther ? next.children.slice(0, 1) : next.children) pending.push(child);
  }
  return false;
}
