/** Files of up to 900 kB that are cheap to write and dear to read. */
const size = 900_000;
const filled = (unit: string, before = '', after = '') =>
  before + unit.repeat(Math.floor((size - before.length - after.length) / unit.length)) + after;
/** Of as many tokens as a file may have (`token-count.ts`), each `unit` so many. */
const allowed = (unit: string, tokens: number, [before, after]: readonly [string, string]) =>
  before + unit.repeat(Math.floor(359_900 / tokens)) + after;
const lines = (make: (i: number) => string) => {
  let text = '';
  for (let i = 0; text.length < size - 200; i += 1) text += make(i);
  return text;
};
const stairs = (depth: number, line: string) =>
  Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}${line}\n`).join('');

/** What each of these costs in CPython, in ruff or in our reader is what the bounds are for. */
export const bombs: Readonly<Record<string, string>> = {
  'brackets that open': filled('('),
  'square brackets that open': filled('['),
  'braces that open': filled('{'),
  'brackets that close': filled(')'),
  'brackets two hundred deep, often': lines(() => `${'['.repeat(200)}${']'.repeat(200)}\n`),
  'signs without end': filled('-', 'x=', '1'),
  'negations without end': filled('not ', 'x=', '1'),
  'sums without end': filled('+1', 'x=1'),
  'powers without end': filled('**1', 'x=1'),
  'comparisons without end': filled('<1', 'x=1'),
  'choices without end': filled('1 if 1 else ', 'x=', '1'),
  'lambdas without end': filled('lambda:', 'x=', '1'),
  'attributes without end': filled('.a', 'a'),
  'calls without end': filled('()', 'f'),
  'indices without end': filled('[0]', 'f'),
  'awaits without end': filled('await ', 'async def f():\n ', 'x\n'),
  'assignments without end': filled('a=', '', '1\n'),
  'a chain of elif': filled('elif 1:\n x\n', 'if 1:\n x\n'),
  'blocks too deep': stairs(1300, 'if 1:'),
  'functions within functions': `${stairs(99, 'def f():')}${' '.repeat(99)}pass\n`,
  'comprehensions within comprehensions': `x=${'['.repeat(150)}1${' for a in b]'.repeat(150)}`,
  'clauses of one comprehension': filled(' for a in b', 'x=[1', ']'),
  'a line of blanks': filled(' ', 'x = "', 'x1!"\n'),
  'lines that begin with blanks': filled(
    `${' '.repeat(1000)}some words 12 and more.\n`,
    'x = """\n',
    '"""\n',
  ),
  'lines that begin with tabs': filled(
    `${'\t'.repeat(1000)}some words 12 and more.\n`,
    'x = """\n',
    '"""\n',
  ),
  'a number of zeros': filled('0', 'x = [1', '1.5, 2.5]\n'),
  'fields of one f-string': filled('{a}', 'x=f"', '"'),
  'specs within specs': `x=f"${'{a:'.repeat(300)}${'}'.repeat(300)}"`,
  'strings side by side': filled('"a"', 'x=(', ')'),
  'a dictionary of one key': filled('"a":1,', 'x={', '}'),
  'a list on one line': filled('1,', 'x=[', ']'),
  'one long string': filled('a', 'x="', '"'),
  'one long name': filled('a', '', '=1'),
  'a letter with marks without end': filled('\u0301\u0316', 'x="a', '"'),
  'a name with marks without end': filled('\u0301\u0316', 'a', '=1'),
  'a field with marks without end': filled('\u0301\u0316', 'x="{a.a', '}".format'),
  'one long comment': filled('a', 'x=1#'),
  'a giant decimal': filled('9', 'x='),
  'a giant hexadecimal': filled('f', 'x=0x'),
  'powers of constants': lines((i) => `x${i}=9**9**9\n`),
  'decorators without end': filled('@a\n', '', 'def f(): pass\n'),
  'patterns within patterns': `match a:\n case ${'['.repeat(190)}b${']'.repeat(190)}: pass\n`,
  'patterns side by side': filled('|1', 'match a:\n case 1', ': pass\n'),
  'names without end': lines((i) => `n${i}\n`),
  'globals without end': `def f():\n${lines((i) => ` global g${i}\n`)}`,
  'parameters without end': `def f(${lines((i) => `a${i},`)}): pass\n`,
  'functions that are all alike': filled('def f(x):\n return [a for a in x]\n'),
  'lines continued without end': filled('\\\n', 'x=1'),
  'semicolons without end': filled('x;', '', '\n'),
  'carriage returns': filled('\r', 'x=1'),
  'as many brackets two hundred deep as may be': allowed(
    `${'['.repeat(200)}${']'.repeat(200)}\n`,
    ...([401, ['', '']] as const),
  ),
  'as many brackets that close as may be': allowed(')', 1, ['', '']),
  'as long a sum as may be': allowed('+1', 2, ['x=1', '\n']),
  'as many comparisons as may be': allowed('<1', 2, ['x=1', '\n']),
  'as many attributes as may be': allowed('.a', 2, ['a', '\n']),
  'as many fields of one f-string as may be': allowed('{a}', 3, ['x=f"', '"\n']),
  'as large a dictionary of one key as may be': allowed('"a":1,', 4, ['x={', '}\n']),
  'as many names as may be': allowed('n\n', 2, ['', '']),
  'dots of an import': filled('.', 'from ', ' import a\n'),
};
