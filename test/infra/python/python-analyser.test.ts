import test from 'ava';
import { AnalyserOverloaded } from '../../../infra/ports/code-analysis.ts';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';
import { bombs } from './bombs.ts';

const analyser = createCodeAnalyser();
test.before(() => analyser.start());
test.after.always(() => analyser.stop());

// Some that once took ruff or our reader seconds or gigabytes; the others in `npm run proof:python`.
const refused = [
  ...['brackets that open', 'brackets that close', 'sums without end', 'attributes without end'],
  'a dictionary of one key',
];

test.serial('a hostile file is refused and the next one is judged', async (t) => {
  for (const name of refused) {
    // On a busy machine it has no verdict and is asked for again, which is no acceptance either.
    const outcome = await analyser.analyse(Buffer.from(bombs[name] ?? '')).then(
      ({ kind }) => kind,
      (error: unknown) => (error instanceof AnalyserOverloaded ? 'overloaded' : error),
    );

    t.true(outcome === 'invalid' || outcome === 'overloaded', `${name}: ${outcome}`);
    t.deepEqual(await analyser.analyse(Buffer.from('x = 1\n')), { kind: 'clean' }, name);
  }
});

// CPython takes them too, and a line of strings is read in time since it is checked in shorter lines.
test.serial('strings side by side in a megabyte are no fault of a file', async (t) => {
  const patient = createCodeAnalyser({ deadlineMs: 20_000 });
  t.teardown(() => patient.stop());
  const strings = Buffer.from(bombs['strings side by side'] ?? '');

  t.deepEqual(await patient.analyse(strings), { kind: 'clean' });
});

// Each took minutes by an expression that is quadratic or cubic in a run of one character.
const runs = ['a line of blanks', 'lines that begin with blanks', 'lines that begin with tabs'];

test.serial('runs of one character are read once', async (t) => {
  const patient = createCodeAnalyser({ deadlineMs: 20_000 });
  t.teardown(() => patient.stop());

  for (const name of runs) {
    t.deepEqual(await patient.analyse(Buffer.from(bombs[name] ?? '')), { kind: 'clean' }, name);
  }
  const zeros = await patient.analyse(Buffer.from(bombs['a number of zeros'] ?? ''));
  t.is(zeros.kind, 'violations', JSON.stringify(zeros));
});

test.serial('an honest file of 900 kB is judged clean', async (t) => {
  // Not about speed: a machine that does much else makes every second of processor time shorter.
  const patient = createCodeAnalyser({ deadlineMs: 20_000 });
  t.teardown(() => patient.stop());
  const step = (i: number) =>
    `def step_${i}(task: dict[str, str], limit: int = ${i}) -> list[str]:\n` +
    `    """Ranks the offers of one shop by price and rating."""\n` +
    '    offers = [o for o in task.get("offers", "").split(",") if len(o) > limit]\n' +
    '    return sorted(offers, key=lambda offer: (-len(offer), offer.lower()))\n\n\n';
  const code = Array.from({ length: 4000 }, (_, i) => step(i))
    .join('')
    .slice(0, 990_000);
  const file = Buffer.from(code.slice(0, code.lastIndexOf('\ndef ')));
  t.true(file.length > 900_000);

  t.deepEqual(await patient.analyse(file), { kind: 'clean' });
});

test.serial('files that arrive together each get their own verdict', async (t) => {
  const files = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'x = 1\n' : 'eval("1")\n'));

  const verdicts = await Promise.all(files.map((code) => analyser.analyse(Buffer.from(code))));

  t.deepEqual(
    verdicts.map(({ kind }) => kind),
    files.map((_, i) => (i % 2 === 0 ? 'clean' : 'violations')),
  );
});

test('the wait for a thread is bounded', async (t) => {
  const small = createCodeAnalyser({ waitingMax: 1 });
  const file = Buffer.from('x = 1\n');

  const outcomes = await Promise.allSettled([1, 2, 3].map(() => small.analyse(file)));
  await small.stop();

  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
});

test('a file over the limit is not even parsed', async (t) => {
  const small = createCodeAnalyser({ fileBytesMax: 10 });

  const verdict = await small.analyse(Buffer.from('x = 1234567\n'));

  t.deepEqual(verdict, { kind: 'invalid', detail: 'InvalidFileError: the file exceeds 10 bytes' });
});

test('an analyser works again after it was stopped', async (t) => {
  const again = createCodeAnalyser({ agentPackages: ['shop'] });
  await again.stop();
  await again.start();

  const verdict = await again.analyse(Buffer.from('import shop\nshop.find()\n'));
  await again.stop();

  t.is(verdict.kind, 'clean');
});

const bound = [
  'def act(task):\n    return {}\n',
  'class act:\n    pass\n',
  'act = lambda task: {}\n',
  'act: object = lambda task: {}\n',
  'act: object\ndef act(task):\n    return {}\n',
  'import asyncio\nasync def work():\n    pass\ndef act(task):\n    asyncio.run(work())\n',
  'def act(task):\n    def each():\n        yield 1\n    for one in each():\n        pass\n',
  'def act(task):\n    return [lambda: (yield) for _ in task]\n',
  'def run(work):\n    return lambda task: list(work(task))\n@run\ndef act(task):\n    yield 1\n',
  'async def act(task):\n    pass\ndef act(task):\n    pass\n',
  'from json import dumps as act\n',
  'act = None\ndef act(task):\n    pass\n',
  'def made():\n    return lambda task: {}\nact = made()\n',
  'from functools import partial\ndef run(shop, task):\n    pass\nact = partial(run, 1)\n',
  'class Agent:\n    def __call__(self, task):\n        pass\nact = Agent()\n',
  'def shop(work):\n    return lambda task: work()\n@shop\ndef act():\n    pass\n',
  'def act(*tasks):\n    pass\n',
  'def act(*, again=1, **more):\n    pass\nact = (act, print)[1]\n',
  'def act(task, /, *rest, again=1, **more):\n    pass\n',
  'def act(task=None, again=1):\n    pass\n',
  'def act(task, again=lambda one, two: 1):\n    pass\n',
  'act = (lambda task: {})\n',
  // What is bound last is a function, or may be.
  'def act(task):\n    pass\nif __name__ == "__main__":\n    act = None\n',
  'act = None\nif __name__ == "__main__":\n    act({})\ndef act(task):\n    pass\n',
  'if __name__ == "__main__":\n    act = None\nelse:\n    def act(task):\n        pass\n',
  'if __name__ != "__main__":\n    def act(task):\n        pass\n',
  'if __name__ == "agent":\n    def act(task):\n        pass\n',
  'try:\n    import json\n    def act(task):\n        pass\nexcept ImportError:\n    act = None\n',
  'def act(task):\n    pass\nif 0:\n    del act\n',
  'def act(task):\n    pass\nold = act\ndel act\nact = old\n',
  'def act(task):\n    pass\ndel act\ndef act(task):\n    pass\n',
  'def act(task):\n    pass\nact: object\n',
  'def make():\n    global act\n    act = print\nact = None\nmake()\n',
  'def act(task):\n    pass\nact, limit = act, None\n',
  'act = None\n[act := each for each in [print]]\n',
  'def act():\n    pass\nact = bool(act) and (lambda task: {})\n',
  'act = None\nfrom json import dumps as act\n',
  'act = None\nfor act in [print]:\n    pass\n',
  'def act(task):\n    act = None\n    del act\n',
];
const unbound = [
  'def other(task):\n    act = 1\n    return act\n',
  'x = 1\n',
  'act: object\n',
  '(act): object\n',
  'x = [1 for act in [1]]\n',
];
/** A call of these runs nothing, however the name comes to them. */
const idle: Readonly<Record<string, RegExp>> = {
  'x = 1\nasync def act(task):\n    return {}\n':
    /the sandbox calls 'act', which is an async function, .*: write a plain 'def act\(problem\):' whose work is done when it returns \(line 2\)$/,
  'async \\\n def act(task):\n    yield 1\n': /an async function/,
  'async def main(task):\n    pass\nact = main\n': /an async function.* \(line 1\)$/,
  'if 1:\n    async def act(task):\n        pass\nelse:\n    async def act(task):\n        pass\n':
    /an async function/,
  'async def act(task):\n    pass\nact: object\n': /an async function/,
  'def act(task):\n    while task:\n        found = yield task\n':
    /'act', which is a generator function, .* \(line 1\)$/,
  'def act(task):\n    yield from task\n': /a generator function/,
  'act = lambda task: (yield)\n': /a generator function/,
  'def act(task):\n    def each(first=(yield)):\n        pass\n': /a generator function/,
};
/** A call of these with a problem fails, however the name comes to them. */
const misfit: Readonly<Record<string, RegExp>> = {
  'x = 1\ndef act():\n    pass\n':
    /the sandbox calls 'act' with the problem alone, and it has no parameter for it: write a plain 'def act\(problem\):' whose work is done when it returns \(line 2\)$/,
  'def act(**more):\n    pass\n': /no parameter/,
  'def act(*, task=1):\n    pass\n': /no parameter/,
  'act = lambda: {}\n': /no parameter/,
  'def main():\n    pass\nact = main\n': /no parameter.* \(line 1\)$/,
  'def act(task, shop):\n    pass\n': /asks for more than it/,
  'def act(task: str, shop: str, /, limit: int = 1) -> None:\n    pass\n': /asks for more than it/,
  'def act(task, shop, *rest):\n    pass\n': /asks for more than it/,
  'def act(task, *, shop, limit=1):\n    pass\n': /asks for more than it/,
  'def act(*tasks, shop):\n    pass\n': /asks for more than it/,
  'x = 1\nact = None\n': /'act', which is no function: write .* \(line 2\)$/,
  'act = "def act(task)"\n': /no function/,
  'act: object = {}\n': /no function/,
};
/** Of these a function is bound to the name, and not any more once the file has run. */
const unboundAgain: Readonly<Record<string, RegExp>> = {
  'def act(task):\n    pass\ndel act\n':
    /'act', which the file deletes again: write .* \(line 3\)$/,
  'def act(task):\n    pass\ndel (act)\nx = 1\n': /deletes again/,
  'from json import dumps\ndef act(task):\n    pass\nx = 1; del x, act\n': /deletes again/,
  'def act(task):\n    pass\nact = None\n': /'act', which is no function: write .* \(line 3\)$/,
  'def act(task):\n    pass\nasync def act(task):\n    pass\n': /an async function.* \(line 3\)$/,
  'def act(task):\n    pass\ndef act():\n    pass\nact: object\n': /no parameter .* \(line 3\)$/,
  'if 1:\n    act = print\nact = x = "act"\n': /no function/,
  'def run(task):\n    pass\nif __name__ == "__main__":\n    def act(task):\n        run(task)\n':
    /'act', which is bound only under 'if __name__ == "__main__"', and that does not run there: write .* \(line 4\)$/,
  'if "__main__" == __name__:\n    act = lambda task: {}\n    act({})\n': /only under/,
};

test('a configured entry point is bound at the top level of the file, and a call of it runs', async (t) => {
  const asking = createCodeAnalyser({ entryPoint: 'act' });
  t.teardown(() => asking.stop());

  for (const text of bound) t.is((await asking.analyse(Buffer.from(text))).kind, 'clean', text);
  for (const text of unbound) {
    const verdict = await asking.analyse(Buffer.from(text));
    const detail = "InvalidFileError: the file defines no 'act', which the sandbox calls";
    t.deepEqual(verdict, { kind: 'invalid', detail }, text);
  }
  for (const [text, said] of Object.entries({ ...idle, ...misfit, ...unboundAgain })) {
    const verdict = await asking.analyse(Buffer.from(text));
    t.regex(verdict.kind === 'invalid' ? verdict.detail : verdict.kind, said, text);
  }
});

const latin1 = Buffer.concat([
  Buffer.from('# ä\r\nx = "€"\ry = 1\n', 'utf8'),
  Buffer.from('z = "für"\n', 'latin1'),
]);

const invalidFiles: Readonly<Record<string, [string | Uint8Array, RegExp]>> = {
  'an empty file': ['', /must not be empty/],
  'white space alone': ['\n  \n\t\n', /must not be empty/],
  'comments alone': ['# a\n\n# b', /must not be empty/],
  'a lone byte': [Uint8Array.of(0x78, 0xff), /not valid UTF-8 \(line 1\)$/],
  'Latin-1': [latin1, /not valid UTF-8 \(line 4\)$/],
  'UTF-16': [
    Buffer.from('\ufeffx = 1', 'utf16le'),
    /the file is UTF-16 or UTF-32: save it as UTF-8$/,
  ],
  'UTF-16, all of it Chinese': [Buffer.from('\ufeff代码', 'utf16le'), /save it as UTF-8$/],
  'UTF-16, its higher byte first': [Buffer.of(0xfe, 0xff, 0, 0x78), /save it as UTF-8$/],
  'UTF-32': [Buffer.of(0xff, 0xfe, 0, 0, 0x78, 0, 0, 0), /save it as UTF-8$/],
  'UTF-32, its highest byte first': [
    Buffer.of(0, 0, 0xfe, 0xff, 0, 0, 0, 0x78),
    /save it as UTF-8$/,
  ],
  'UTF-16 without a mark': [Buffer.from('x = 1', 'utf16le'), /null bytes \(line 1\)/],
  'a zip archive': ['PK\x03\x04\x14\0agent.py', /a zip archive: submit the one Python file in it$/],
  'an overlong form': [Uint8Array.of(0xc0, 0xaf), /not valid UTF-8/],
  'a surrogate': [Uint8Array.of(0xed, 0xa0, 0x80), /not valid UTF-8/],
  'a null byte': ['x = 1\n\0', /null bytes \(line 2\)/],
  'another encoding': ['# -*- coding: latin-1 -*-\nx = 1\n', /'latin-1'/],
  'another encoding on line two': ['#!/bin/sh\n# coding=utf-7\nx = 1\n', /'utf-7'/],
  'a syntax error': ['x = (\n', /'\(' was never closed \(line 1\)/],
  'a print statement': ["x = 1\nprint 'x'\n", /line 2/],
  'a type statement': ['type X = int\n', /invalid syntax \(line 1\); .* Python 3\.11$/],
  'quotes reused in an f-string': [
    "x = f'{a['b']}'\n",
    /f-string: unmatched '\['.*; the file is read as Python 3\.11$/,
  ],
  'return outside a function': ['return 1\n', /'return' outside function \(line 1\)/],
  'break outside a loop': ['if 1:\n    break\n', /'break' outside loop/],
  'a bracket too deep': [
    `x = ${'('.repeat(201)}1${')'.repeat(201)}\n`,
    /too many nested parentheses/,
  ],
  'a block too deep': [
    `${Array.from({ length: 101 }, (_, i) => `${' '.repeat(i)}if 1:\n`).join('')}${' '.repeat(101)}x\n`,
    /too many levels of indentation/,
  ],
  'an integer too long': [`x = ${'9'.repeat(5000)}\n`, /Exceeds the limit \(4300 digits\)/],
  'brackets that do not match': ['x = (]\n', /closing parenthesis '\]' does not match/],
};
for (const [name, [code, reason]] of Object.entries(invalidFiles)) {
  test.serial(`is not a file of Python 3.11: ${name}`, async (t) => {
    const verdict = await analyser.analyse(Buffer.from(code));

    t.is(verdict.kind, 'invalid', JSON.stringify(verdict));
    t.regex('detail' in verdict ? verdict.detail : '', /^InvalidFileError: /);
    t.regex('detail' in verdict ? verdict.detail : '', reason);
  });
}
