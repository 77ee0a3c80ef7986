import fc from 'fast-check';

/** Functions of a made-up program; each text is one whole function. */
export interface Program {
  readonly functions: readonly string[];
}

const names = ['offers', 'basket', 'score', 'price', 'query', 'items', 'best', 'limit', 'shop'];
const calls = ['len', 'sorted', 'max', 'min', 'sum', 'set', 'list', 'float', 'round', 'str'];
const operators = ['+', '-', '*', '/', '//', '%', '<', '>', '==', '!='];

const name = fc.constantFrom(...names);
const simple = fc.oneof(
  fc.tuple(name, fc.constantFrom(...operators), name).map((parts) => parts.join(' ')),
  fc.tuple(fc.constantFrom(...calls), name, name).map(([f, a, b]) => `${f}(${a}[${b}])`),
  fc.tuple(name, name).map(([a, b]) => `{${a}: ${b} for ${a} in ${b}.items()}`),
  fc.tuple(name, name).map(([a, b]) => `[${a}.get(${b}, 1), *${b}]`),
  fc.tuple(name, name, name).map(([a, b, c]) => `${a} if ${b} else -${c}`),
);
const expression = fc
  .tuple(simple, fc.constantFrom('or', 'and', '+', '-', '*', '|', '<', '>=', 'in'), simple)
  .map(([left, operator, right]) => `(${left}) ${operator} (${right})`);
const statement = fc.oneof(
  fc.tuple(name, expression).map(([to, from]) => [`${to} = ${from}`]),
  fc.tuple(name, expression).map(([to, from]) => [`${to} += ${from}`]),
  fc.tuple(expression, expression).map(([a, b]) => [`if ${a}:`, `    return ${b}`]),
  fc
    .tuple(name, expression, expression)
    .map(([each, from, value]) => [`for ${each} in ${from}:`, `    ${each}.append(${value})`]),
  fc
    .tuple(expression, name)
    .map(([value, to]) => ['try:', `    ${to} = ${value}`, 'except KeyError:', '    pass']),
  fc.tuple(expression).map(([test]) => [`while ${test}:`, '    break']),
);

/** Of `count` functions, of some 20 statements each: two of them have nothing in common but chance. */
export function program(count: number): fc.Arbitrary<Program> {
  const body = fc.array(statement, { minLength: 18, maxLength: 24 });
  return fc.array(body, { minLength: count, maxLength: count }).map((bodies) => ({
    functions: bodies.map((lines, index) =>
      [
        `def step_${index}(offers, basket, limit):`,
        ...lines.flat().map((line) => `    ${line}`),
        '    return offers',
        '',
      ].join('\n'),
    ),
  }));
}

export const textOf = ({ functions }: Program): string => functions.join('\n');

/** Other names, numbers, comments, layout, docstrings and annotations; the same program. */
export function disguised(text: string): string {
  const renamed = text
    .replaceAll(/\b(offers|basket|score|price|query|items|best|limit|shop)\b(?!\()/g, 'zz_$1')
    .replaceAll(/\bstep_(\d+)/g, 'phase$1')
    .replaceAll(/\b1\b/g, '0x7f')
    .replaceAll('zz_offers, zz_basket', 'zz_offers: list[int], zz_basket: dict')
    .replaceAll('):\n', ') :  # nothing\n')
    .replaceAll(/^(def .*\n)/gm, '$1    """Words."""\n\n')
    .replaceAll('.zz_items(', '.items(');
  return `"""A new agent."""\nfrom math import (\n    pi,\n    tau,\n)\nimport re; import json\n\n${renamed}`;
}
