import test from 'ava';
import type { Violation } from '../../../../infra/ports/code-analysis.ts';
import { analyseFile } from '../../../../infra/python/analyse-file.ts';
import { type Rule, rules } from '../../../../infra/python/finding.ts';
import { loadRuff } from '../../../../infra/python/ruff.ts';

const ruff = loadRuff();
const profile = { agentPackages: ['shop_tools'], entryPoint: undefined };

function violationsOf(code: string): readonly Violation[] {
  const verdict = analyseFile(Buffer.from(code), ruff, profile);
  return verdict.kind === 'violations' ? verdict.violations : [];
}

interface Broken {
  readonly code: string;
  readonly at: readonly [line: number, column: number];
}

const broken: Readonly<Record<Rule, Broken>> = {
  'attribute-not-listed': { code: 'import json\n\nx = json.tool(1)\n', at: [3, 10] },
  'star-import': { code: 'x = 1\nfrom json import *\n', at: [2, 1] },
  'import-in-class': { code: 'class A:\n    import json\n', at: [2, 5] },
  'module-as-value': { code: 'import json\nx = [1, json]\n', at: [2, 9] },
  'module-patch': { code: 'import json\njson.dumps = 1\n', at: [2, 6] },
  'forbidden-builtin': { code: 'x = 1; y = eval("1")\n', at: [1, 12] },
  'dynamic-attribute': { code: 'def f(x, n):\n\treturn getattr(x, n)\n', at: [2, 9] },
  'dynamic-class': { code: 'A = type("A", (), {})\n', at: [1, 5] },
  'dunder-access': { code: 'größe = "🎒"; y = größe.__class__\n', at: [1, 24] },
  'frame-access': { code: 'g = (1 for _ in [])\r\nf = g.gi_frame\r\n', at: [2, 7] },
  'format-traversal': { code: 'x = "{0.__class__}".format(1)\n', at: [1, 21] },
  'file-access': { code: '\ufeffx = "a"\n\fwith open("x") as f: pass\n', at: [2, 7] },
  'encoded-data': { code: `x = (1,\n     ${'1234567890'.repeat(17)})\n`, at: [2, 6] },
  'opaque-table': {
    code: `T = [${Array.from({ length: 1200 }, (_, i) => `0.${i + 31_337}`).join(', ')}]\n`,
    at: [1, 5],
  },
  'answer-table': {
    code: `T = {${Array.from({ length: 3 }, (_, i) => `"Looking for a red bag of brand ${i}": "x123${i}9"`).join(', ')}}\n`,
    at: [1, 5],
  },
  'hard-coded-product-id': {
    code: '# 🎒\nA = "5035687794"\nB = "3891025403"\nC = "3552553721"\n',
    at: [2, 5],
  },
};

for (const [rule, { code, at }] of Object.entries(broken)) {
  test(`tells where it is broken and what to do instead: ${rule}`, (t) => {
    const found = violationsOf(code).find((violation) => violation.rule === rule);

    t.is(found?.category, rules[rule as Rule].category);
    t.is(found?.severity, 'error');
    t.deepEqual([found?.line, found?.column], [...at]);
    t.regex(
      found?.message ?? '',
      /\b(?:use|write|parse|pass|import|move|call|keep|remove|did you mean)\b|allowed/i,
    );
    t.regex(found?.message ?? '', /[.?]$/);
    t.true((found?.snippet.length ?? 0) > 0 && [...(found?.snippet ?? '')].length <= 120);
  });
}

const hints: Readonly<Record<string, RegExp>> = {
  'import os\nos.system("ls")\n': /os\.getenv, os\.environ\.get and os\.path are allowed/,
  'import random\nrandom.randInt(1, 2)\n': /did you mean random\.randint\?/,
  'from itertools import pairwize\n': /did you mean itertools\.pairwise\?/,
  'import hmac\nhmac.md5()\n':
    /of hmac the following is allowed: HMAC, compare_digest, digest, new/,
};

/** What an honest agent may call something of its own, or do with what is harmless. */
const ways: Readonly<Record<string, RegExp>> = {
  'class A:\n    def _evaluate(self): pass\n    def f(self): return self._evaluate()\n': /rename/,
  'class A:\n    def get_field(self): pass\n    def f(self): return self.get_field()\n': /rename/,
  'class A:\n    def f(self): self._selector = 1\n': /rename/,
  'class A:\n    def detach(self): pass\nA().detach()\n': /rename/,
  'import shop_tools\nclass A:\n    def f(self): return self.obj\n': /rename/,
  'import logging\nclass A:\n    def __getattr__(self, n): return 1\n    def handle(self): return self.next.handle()\n':
    /rename/,
  'import logging\nfrom types import SimpleNamespace\ns = SimpleNamespace(**x)\nlogging.error("a", exc_info=x)\n':
    /logger\.exception/,
  'import logging\nh = logging.StreamHandler()\nlogging.info("%s", type(h))\n':
    /type\(x\)\.__name__/,
  'import copy\nc = copy.copy(x)\nraise TypeError("not %s" % type(c))\n': /type\(x\)\.__name__/,
  'from enum import Enum\nclass E(Enum):\n    A = property(int)\nE("A")\n': /NAME = 'name'/,
};

test('what may be harmless is told the way that is taken', (t) => {
  for (const [code, way] of Object.entries(ways)) {
    const said = violationsOf(code).map(({ message }) => message);
    t.true(
      said.some((message) => way.test(message)),
      `${code} ${said.join(' ')}`,
    );
  }
});

test('a refused attribute is answered with what the miner may have meant', (t) => {
  for (const [code, hint] of Object.entries(hints))
    t.regex(violationsOf(code)[0]?.message ?? '', hint);
});

test('a refused library is answered with what there is instead', (t) => {
  const said = (code: string) => {
    const verdict = analyseFile(Buffer.from(code), ruff, profile);
    return 'detail' in verdict ? verdict.detail : '';
  };

  t.is(
    said('import pathlib\n'),
    "InvalidFileError: insecure library 'pathlib' (line 1); os.path is allowed",
  );
  t.regex(said('import dataclases\n'), /did you mean 'dataclasses'\?$/);
  t.regex(said('import urllib.request\n'), /urllib\.parse is allowed/);
});

test('a library that is called like what every object has is a library like any other', (t) => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    for (const code of [`import ${name}\n`, `from ${name} import a\n`]) {
      const detail = `InvalidFileError: insecure library '${name}' (line 1)`;
      t.deepEqual(analyseFile(Buffer.from(code), ruff, profile), { kind: 'invalid', detail });
    }
    const uses = `import os, sys, json\n${name} = 1\nx = json.${name}, os.${name}, ${name}\n`;
    const unlisted = violationsOf(uses).filter(({ rule }) => rule === 'attribute-not-listed');
    t.is(unlisted.length, 2, name);
  }
});

test('the longest line and the most violations make a short answer in order', (t) => {
  const line = `${'x = 1; '.repeat(200)}y = eval("${'🎒'.repeat(100)}")\n`;
  const found = violationsOf(line.repeat(150));

  t.is(found.length, 100);
  t.true(found.every(({ snippet, message }) => [...snippet].length <= 120 && message.length < 400));
  t.deepEqual(
    found.map((one) => one.line),
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
  t.true(found.every(({ column }) => column === 7 * 200 + 5));
});
