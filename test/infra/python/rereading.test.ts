/**
 * What a name or an attribute may be is read through other names, each of which may be read through others again.
 * A file twice as long must not be looked at far more than twice as often, however its names refer to each other.
 */
import test from 'ava';
import { applyRules, ruleContextOf } from '../../../infra/python/analyse-file.ts';
import { parseFile } from '../../../infra/python/parse-file.ts';
import { loadRuff } from '../../../infra/python/ruff.ts';
import { readSourceFile } from '../../../infra/python/source-file.ts';
import { TokenCursor } from '../../../infra/python/token-cursor.ts';

const ruff = loadRuff();

function contextOf(code: string) {
  const source = readSourceFile(Buffer.from(code));
  const tree = parseFile(new TokenCursor(source, ruff.tokens(source.text)));
  return ruleContextOf(source, tree, {
    ...{ agentPackages: ['shop_tools'], entryPoint: undefined },
  });
}

/** How often the rules ask a node of the file what it is; `looksMax` ends what would not end. */
function looksAt(code: string, looksMax: number): number {
  const context = contextOf(code);
  let looks = 0;
  for (const node of context.nodes) {
    const { kind } = node;
    Object.defineProperty(node, 'kind', {
      get() {
        looks += 1;
        if (looks > looksMax) throw new Error(`more than ${looksMax} looks`);
        return kind;
      },
    });
  }
  applyRules(context);
  return looks;
}

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

const sumOf = (name: string, count: number) =>
  Array.from({ length: count }, () => name).join(' + ');

/** By what is read again and again: a file of `size` such steps. */
const chains: Readonly<Record<string, (size: number) => string>> = {
  'a template that a name is rebuilt from': (size) =>
    `def f(style):\n    p = "a"\n${lines(size, (i) => `    if style != ${i}: p = p + "b{x}"`)}\n    return p.format(x=1)\n`,
  'templates of which each is the one before it twice': (size) =>
    `p0 = "a"\n${lines(size, (i) => `p${i + 1} = p${i} if x else p${i}`)}\np${size}.format(x=[])\n`,
  'a template in an attribute that is rebuilt': (size) =>
    `class A:\n    def f(self):\n        self.p = "a"\n${lines(size, () => '        self.p = self.p + "b"')}\n        return self.p.format(x=[])\n`,
  'templates in attributes that are taken from each other': (size) =>
    `class A:\n    def f(self):\n        self.p0 = "a"\n${lines(size, (i) => `        self.p${i + 1} = self.p${i} if self.x else self.p${i}`)}\n        return self.p${size}.format(x=[])\n`,
  'templates that functions hand on': (size) =>
    `def f0(p): return p.format(x=[])\n${lines(size, (i) => `def f${i + 1}(p): return f${i}(p), f${i}(p)`)}\nf${size}("a")\n`,
  'a template that a function hands to itself': (size) =>
    `def f(p):\n    p.format(x=[])\n${lines(size, (i) => `    f(p + "${i}")`)}\nf("a")\n`,
  'templates in tables that are taken from each other': (size) =>
    `t0 = {"a": "b", "c": "d"}\n${lines(size, (i) => `t${i + 1} = {"a": t${i}["a"], "c": t${i}["c"]}`)}\nt${size}["a"].format(x=[])\n`,
  'a template with a list in it that is joined': (size) =>
    `p0 = "a"\n${lines(size, (i) => `p${i + 1} = "".join([p${i}, p${i}])`)}\np${size}.format(x=[])\n`,
  'sums of sums of a number, for any template': (size) =>
    `def f(t):\n    n0 = 0\n${lines(3, (i) => `    n${i + 1} = ${sumOf(`n${i}`, size)}`)}\n    return t.format(n3)\n`,
  'numbers with many values that are the same, for any template': (size) =>
    `def f(t):\n    n0 = 0\n${lines(3, (i) => lines(size, () => `    n${i + 1} = n${i}`))}\n    return t.format(n3)\n`,
  'a format of a log in the { style': (size) =>
    `import logging\np0 = "a"\n${lines(3, (i) => lines(size, () => `p${i + 1} = p${i}`))}\nlogging.basicConfig(format=p3, style="{")\n`,
  'classes with two bases each': (size) =>
    `import copy\nfrom dataclasses import dataclass\nfrom functools import singledispatch\nclass A0: pass\nclass B0: pass\n${lines(size, (i) => `@dataclass\nclass A${i + 1}(A${i}, B${i}): pass\nclass B${i + 1}(A${i}, B${i}): pass`)}\n@singledispatch\ndef f(x): f.registry\n@f.register\ndef g(x: A${size}): type(A${size}())\nmatch x:\n    case A${size}(y): pass\n`,
};

const small = 8;
const large = 16;

for (const [what, chain] of Object.entries(chains)) {
  test(`is looked at in proportion: ${what}`, (t) => {
    const before = looksAt(chain(small), 1_000_000);
    // Twice as often for twice as long; what is compared pair by pair four times.
    const after = looksAt(chain(large), before * 8);

    t.true(after <= before * 4, `${before} looks and ${after} at twice as much`);
  });
}

test('a template that doubles again and again is not written out', (t) => {
  const context = contextOf(
    `p0 = "${'a'.repeat(100)}"\n${lines(60, (i) => `p${i + 1} = p${i} ${i % 2 === 0 ? `+ p${i}` : '* 9'}`)}\np60.format(x=print)\n`,
  );

  applyRules(context);

  t.deepEqual(
    context.findings.map(({ rule }) => rule),
    ['format-traversal'],
  );
});

test('what a name stands for is noted once, however many names lead there', (t) => {
  const again = (to: string, from: string) => lines(16, () => `${to} = ${from}`);
  const code = `import json\n${again('n0', 'json.dumps')}\n${lines(6, (i) => again(`n${i + 1}`, `n${i}`))}\nn6\n`;
  const { referents, scopes } = contextOf(code);
  const last = scopes.loads.at(-1);

  t.is(last?.node.text, 'n6');
  const found = last === undefined ? [] : referents.of(last.node);
  t.true(found.some((each) => each.kind === 'member' && each.member === 'dumps'));
  t.true(found.length <= 2, `${found.length} referents`);
});
