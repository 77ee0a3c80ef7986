import { insteadOfAttribute } from '../suggestions.ts';
import type { SyntaxNode } from '../syntax-tree.ts';
import type { RuleContext } from './rule-context.ts';

/** Only listed modules, and of those only listed attributes, wherever the import stands. */
export function checkImports(context: RuleContext): void {
  for (const { node, scope } of context.scopes.imports) {
    // `A.os` would be an attribute of a class, out of sight of the rules for modules.
    if (scope.kind === 'class') {
      const message = 'imports inside a class body are not accepted';
      context.findings.push({ rule: 'import-in-class', message, at: node.at });
    }
    if (node.kind === 'import') checkModules(node, context);
    else checkMembers(node, context);
  }
}

function checkModules(node: SyntaxNode, { modules, insecure }: RuleContext): void {
  for (const { text, at } of node.children) {
    if (!modules.isAllowedModule(text)) insecure.push({ library: text, at });
  }
}

function checkMembers(node: SyntaxNode, context: RuleContext): void {
  const { modules, insecure } = context;
  if (!modules.isAllowedModule(node.text)) {
    insecure.push({ library: node.text, at: node.at });
    return;
  }
  for (const member of node.children) {
    if (member.text === '*') checkStar(node, context);
    else checkMember(node.text, member, context);
  }
}

function checkStar({ text, at }: SyntaxNode, { modules, findings }: RuleContext): void {
  if (modules.isStarSafe(text)) return;
  const message = `'from ${text} import *' hides what is used; name the attributes you need`;
  findings.push({ rule: 'star-import', message, at });
}

function checkMember(module: string, { text, at }: SyntaxNode, context: RuleContext): void {
  const { modules, insecure, findings } = context;
  if (modules.isAllowedPair(module, text)) return;
  if (!modules.isAgentModule(module) && modules.isAllowedModule(`${module}.${text}`)) return;
  if (modules.isInsecureBesidesPairs(module)) insecure.push({ library: `${module}.${text}`, at });
  else findings.push({ rule: 'attribute-not-listed', message: notListed(module, text), at });
}

export function notListed(module: string, attribute: string): string {
  const found = `'${module}.${attribute}' is not on the list of what a submission may use`;
  const instead = insteadOfAttribute(module, attribute);
  return instead === null ? found : `${found}; ${instead}`;
}
