import test from 'ava';
import fc from 'fast-check';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createCodeFingerprinter } from '../../../infra/python/code-fingerprinter.ts';
import { shapeOf } from '../../../infra/python/code-shape.ts';
import { publishedCode } from '../../../infra/python/published-code.ts';
import { loadRuff } from '../../../infra/python/ruff.ts';
import { readSourceFile } from '../../../infra/python/source-file.ts';
import { examplesCode } from '../../../infra/python/write-published-code.ts';
import { fingerprinted } from '../../support/fingerprinted.ts';
import { program, textOf } from '../../support/python-programs.ts';

const ruff = loadRuff();
const shape = (text: string) => {
  const source = readSourceFile(Buffer.from(text));
  return shapeOf(source, ruff.tokens(source.text));
};
const codes = (text: string) => [...shape(text).codes];

const disguises: readonly [what: string, plain: string, disguised: string][] = [
  ['names', 'def f(a):\n    return a + x\n', 'def g(b):\n    return b + y\n'],
  ['names that look like methods', 'x = a\n', 'items = index\n'],
  ['numbers', 'x = 255 + 1.5\n', 'x = 0xFF + 15e-1\n'],
  ['strings', 'x = "a" + \'b\'\n', "x = '''c''' + rb'd'\n"],
  ['a string in parts', 'x = "ab"\n', 'x = "a" "b"\n'],
  ['an f-string of text', 'x = "ab"\n', 'x = f"ab"\n'],
  ['comments', 'x = 1\n', '# one\nx = 1  # two\n'],
  ['blank lines and line ends', 'x = 1\ny = 2\n', '\n\nx = 1\r\n\r\ny = 2'],
  ['indentation', 'if x:\n    y()\n', 'if x:\n\ty()\n'],
  ['semicolons', 'x = 1\ny = 2\n', 'x = 1; y = 2\n'],
  ['semicolons at line ends', 'x = 1\ny = 2\n', 'x = 1;\ny = 2;\n'],
  [
    'semicolons behind what is left out',
    'def f():\n    return 1\n',
    'import re;\ndef f():\n    "a";\n    return 1;\n',
  ],
  [
    'pass beside others',
    'if x:\n    y()\nz()\n',
    'pass\nif x:\n    pass; y(); pass\n    pass\nz()\npass;\n',
  ],
  ['pass in the line of a block', 'if x: y()\n', 'if x: pass; y(); pass\n'],
  ['constants that are statements', 'x = 1\n', '0; x = 1; ...\nTrue; None\n'],
  ['lines inside brackets', 'x = f(1, 2)\n', 'x = f(\n    1,\n    2,\n)\n'],
  ['docstrings', 'def f():\n    return 1\n', 'def f():\n    """Words."""\n    return 1\n'],
  ['imports', 'x = 1\n', 'import re\nfrom math import (\n    pi,\n)\nx = 1\n'],
  ['types of variables', 'x = 1\nself.y = 2\n', 'x: int = 1\nself.y: dict[str, int] = 2\n'],
  [
    'types of parameters',
    'def f(a, *b, c=1, **d):\n    pass\n',
    'def f(a: int, *b: tuple[int, ...], c: str | None = 1, **d: dict[str, int]) -> list[int]:\n    pass\n',
  ],
  [
    'types beside a lambda',
    'def f(a, key=lambda v: v):\n    pass\n',
    'def f(a: int, key: Callable = lambda v: v) -> None:\n    pass\n',
  ],
];

for (const [what, plain, disguised] of disguises) {
  test(`${what} make no difference`, (t) => t.deepEqual(codes(disguised), codes(plain)));
}

const differences: readonly [what: string, one: string, other: string][] = [
  ['operators', 'x = a + b\n', 'x = a - b\n'],
  ['keywords', 'while x:\n    pass\n', 'if x:\n    pass\n'],
  ['builtins that are called', 'x = max(a)\n', 'x = min(a)\n'],
  ['methods of builtin types', 'x.append(1)\n', 'x.remove(1)\n'],
  ['blocks', 'if x:\n    y()\nz()\n', 'if x:\n    y()\n    z()\n'],
  ['what an f-string computes', 'x = f"a{b}"\n', 'x = f"a{b + c}"\n'],
];

for (const [what, one, other] of differences) {
  test(`${what} make a difference`, (t) => t.notDeepEqual(codes(one), codes(other)));
}

test('what the examples consist of is known as published', (t) => {
  const missing = examplesCode().filter((hash) => !publishedCode.has(hash));

  t.deepEqual(missing, [], 'npm run generate adds them');
});

// They are stored. Whoever must change them adds a migration that empties the tables of similarity.
test('a program has the fingerprints that it always had', (t) => {
  const { hashes, tokenCount, modulus } = fingerprinted(
    'def agent(task, shop):\n    offers = sorted(shop.get("a", []), key=lambda o: o[1])\n    return offers[0] if offers else None\n',
  );

  const always = [352_911_250_010_750, 230_181_215_755_690, 189_992_562_301_355];
  t.deepEqual({ hashes, tokenCount, modulus }, { hashes: always, tokenCount: 46, modulus: 1 });
});

test('tokens know their lines, whatever ends one', (t) => {
  const { firstLines, lastLines } = shape('x = 1\ry = """\r\n\n"""\nz = 3');

  t.deepEqual([...firstLines], [1, 1, 1, 1, 2, 2, 2, 4, 5, 5, 5, 5]);
  t.deepEqual([...lastLines], [1, 1, 1, 1, 2, 2, 4, 4, 5, 5, 5, 5]);
});

test('the thread says what this thread would, and outlives a file that nobody can read', async (t) => {
  const [made] = fc.sample(program(2), { numRuns: 1, seed: 3 });
  const text = made === undefined ? '' : textOf(made);
  const fingerprinter = createCodeFingerprinter(systemClock);
  t.teardown(() => fingerprinter.rest());

  const dense = await fingerprinter.read(Buffer.from(`x = [${'a + 1, '.repeat(50_000)}]\n`));
  const broken = await fingerprinter.read(Buffer.from([0x78, 0xff]));
  const read = await fingerprinter.read(Buffer.from(text));

  t.is(dense.kind, 'read');
  t.deepEqual(broken, { kind: 'unreadable', reason: 'the file is not valid UTF-8' });
  t.deepEqual(read, { kind: 'read', fingerprints: fingerprinted(text) });
});
