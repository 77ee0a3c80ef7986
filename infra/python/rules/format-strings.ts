import { literalValue } from '../string-literal.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import type { RuleContext } from './rule-context.ts';

// A replacement field that walks to a name with underscores: `{0.__class__}`, `{x[__globals__]}`.
const traversal = /\{[^{}]*[.[]\s*_[^{}]*/;
const methods = new Set(['format', 'format_map']);

/**
 * str.format reads attributes named in the string. A template that walks to an underscored name is
 * refused where the file formats at all; the bare text in a prompt or a comment is not.
 */
export function checkFormatStrings(context: RuleContext): void {
  if (!context.nodes.some((node) => mentionsFormat(node, context))) return;
  for (const node of context.nodes) {
    if (node.kind !== 'string' || !traversal.test(literalValue(context.source, node))) continue;
    const message =
      'format templates must not walk to underscored attributes; pass the value itself';
    context.findings.push({ rule: 'format-traversal', message, at: node.at });
  }
}

function mentionsFormat(node: SyntaxNode, { source }: RuleContext): boolean {
  if (node.kind === 'attribute' || node.kind === 'pattern-keyword') return methods.has(node.text);
  return node.kind === 'string' && methods.has(literalValue(source, node));
}
