import type { Token } from './token.ts';

/** A statement without annotations; nothing of an import, a docstring, `pass` or a constant by itself. */
export function bareStatement(written: readonly Token[]): readonly Token[] {
  const statement = withoutIdlePass(written);
  const [first] = statement;
  if (first?.kind === 'From' || first?.kind === 'Import') return [];
  if (isDocstring(statement) || isIdle(statement)) return [];
  if (first?.kind === 'Identifier') return withoutVariableType(statement);
  return statement.some(({ kind }) => kind === 'Def')
    ? withoutSignatureTypes(statement)
    : statement;
}

/** Of `if x: pass; y()` the pass, which stands in one statement with what opens the block. */
function withoutIdlePass(statement: readonly Token[]): readonly Token[] {
  const isIdlePass = statement.at(-2)?.kind === 'Pass' && statement.at(-1)?.kind === 'Semi';
  return isIdlePass ? statement.slice(0, -2) : statement;
}

const idle = new Set(['Pass', 'Ellipsis', 'Int', 'Float', 'Complex', 'True', 'False', 'None']);

/** Also where it is all that a block has: that is a block still. */
function isIdle(statement: readonly Token[]): boolean {
  const [only, ...others] = statement.filter(isText);
  return only !== undefined && idle.has(only.kind) && others.length === 0;
}

const isText = ({ kind }: Token): boolean => kind !== 'Newline' && kind !== 'Semi';

function isDocstring(statement: readonly Token[]): boolean {
  const texts = statement.filter(isText);
  return texts.length > 0 && texts.every(({ kind }) => kind === 'String');
}

const opening = new Set(['Lpar', 'Lsqb', 'Lbrace']);
const closing = new Set(['Rpar', 'Rsqb', 'Rbrace']);

function depthChange({ kind }: Token): number {
  if (opening.has(kind)) return 1;
  return closing.has(kind) ? -1 : 0;
}

/** `total: int = 0` and `self.total: int = 0`: a colon before any equal sign and outside brackets. */
function withoutVariableType(statement: readonly Token[]): readonly Token[] {
  let depth = 0;
  const colon = statement.findIndex((token) => {
    depth += depthChange(token);
    return depth === 0 && annotationOrEnd.has(token.kind);
  });
  if (statement[colon]?.kind !== 'Colon') return statement;
  depth = 0;
  const end = statement.findIndex((token, index) => {
    depth += depthChange(token);
    return index > colon && depth === 0 && valueOrEnd.has(token.kind);
  });
  return [...statement.slice(0, colon), ...(end === -1 ? [] : statement.slice(end))];
}

const annotationOrEnd = new Set(['Colon', 'Equal', 'Lambda', 'Newline', 'Semi']);
const valueOrEnd = new Set(['Equal', 'Newline', 'Semi']);

/** `def f(a: int = 3) -> str:`; a lambda among the defaults keeps its colon. */
function withoutSignatureTypes(statement: readonly Token[]): readonly Token[] {
  const kept: Token[] = [];
  let depth = 0;
  let isType = false;
  let lambdas = 0;
  for (const token of statement) {
    const { kind } = token;
    depth += depthChange(token);
    if (isType) isType = !endsType(kind, depth);
    else if (kind === 'Lambda') lambdas += 1;
    else if (kind === 'Colon' && lambdas > 0) lambdas -= 1;
    else if (kind === 'Rarrow' || (kind === 'Colon' && depth === 1)) isType = true;
    if (!isType) kept.push(token);
  }
  return kept;
}

/** Of a parameter a comma, its default or the last bracket; of the function its colon. */
function endsType(kind: string, depth: number): boolean {
  if (depth === 1) return kind === 'Comma' || kind === 'Equal';
  return depth === 0 && (kind === 'Rpar' || kind === 'Colon');
}
