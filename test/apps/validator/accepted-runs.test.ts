/** What the submission check accepts as a file, the sandbox runs: both read its bytes as CPython does. */
import test from 'ava';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';
import { referenceProfile } from '../../../infra/python/reference-profile.ts';
import { sandboxOr, tryAgent } from './try-sandbox.ts';

const agent = `TEXT = """a
é"""
def agent_main(problem):
    print(ascii(TEXT))
`;
const seen = "'a\\n\\xe9'\n";

const accepted: Readonly<Record<string, string>> = {
  plain: agent,
  'a byte order mark': `\ufeff${agent}`,
  'a byte order mark and a cookie': `\ufeff# -*- coding: utf-8 -*-\n${agent}`,
  'a cookie': `# -*- coding: utf-8 -*-\n${agent}`,
  'a cookie on line two': `#!/usr/bin/env python\n# vim: set fileencoding=UTF8 :\n${agent}`,
  'a cookie of Emacs': `# -*- coding: utf-8-unix -*-\n${agent}`,
  'lines that end with CR LF': agent.replaceAll('\n', '\r\n'),
  'lines that end with CR': agent.replaceAll('\n', '\r'),
  'a cookie before CR': `#!/x\r# coding: utf-8\r${agent.replaceAll('\n', '\r')}`,
  'form feeds': `\f\n${agent.replace('def', '\f\ndef')}\f`,
  'no line end at the end': agent.trimEnd(),
};

/** No file gets here that the check refuses; were one to, it fails as it would in CPython. */
const refused: Readonly<Record<string, string>> = {
  'a byte order mark and a cookie of another encoding': `\ufeff# coding: latin-1\n${agent}`,
  'an encoding that nobody knows': `# coding: klingon\n${agent}`,
  'a byte order mark on line two': `\n\ufeff${agent}`,
};

/** Calls of these run nothing, and the check cannot tell: behind a decorator anything may be. */
const idle: Readonly<Record<string, [code: string, kind: string]>> = {
  'an async function': ['@keep\nasync def agent_main(problem):\n    print(1)\n', 'coroutine'],
  'an async generator': ['@keep\nasync def agent_main(problem):\n    yield 1\n', 'async_generator'],
  'a generator': ['@keep\ndef agent_main(problem):\n    yield 1\n', 'generator'],
};
const keep = 'def keep(work):\n    return work\n';

/** What they give is nobody's, and their work is done. */
const plain: readonly string[] = [
  'def agent_main(problem):\n    print(1)\n    return (each for each in problem)\n',
  'def agent_main(problem):\n    print(1)\n    return map(str, problem)\n',
  'def steps(problem):\n    yield print(1)\ndef agent_main(problem):\n    run = steps(problem)\n    for _ in run: pass\n    return run\n',
  'def steps(problem):\n    yield print(1)\n    yield\ndef agent_main(problem):\n    run = steps(problem)\n    next(run)\n    return run\n',
  'import asyncio\nasync def work():\n    print(1)\ndef agent_main(problem):\n    loop = asyncio.new_event_loop()\n    task = loop.create_task(work())\n    loop.run_until_complete(task)\n    return task\n',
  `def run(work):\n    return lambda problem: list(work(problem))\n@run\ndef agent_main(problem):\n    yield print(1)\n`,
];

test.serial(
  'an entry point of which a call runs nothing is the agent’s fault, and says so',
  async (t) => {
    const sandbox = await sandboxOr(t, 'bubblewrap');
    if (sandbox === undefined) return;
    const analyser = createCodeAnalyser({ ...referenceProfile, deadlineMs: 20_000 });
    t.teardown(() => analyser.stop());

    for (const [name, [code, kind]] of Object.entries(idle)) {
      t.deepEqual(await analyser.analyse(Buffer.from(keep + code)), { kind: 'clean' }, name);
      const { ending } = await tryAgent(sandbox, keep + code);
      t.is(ending.reason, 'raised', name);
      t.is(
        ending.detail,
        `TypeError: agent_main(problem) gave a ${kind}, of which nothing has run: write a plain 'def agent_main(problem):' whose work is done when it returns`,
      );
      t.notRegex(ending.stderrTail, /never awaited/, name);
    }
    for (const code of plain) {
      t.deepEqual(await analyser.analyse(Buffer.from(code)), { kind: 'clean' }, code);
      const { ending } = await tryAgent(sandbox, code);
      t.is(ending.reason, 'finished', `${code}: ${ending.detail}`);
      t.is(ending.stdoutTail, '1\n', code);
    }
  },
);

test.serial('what is accepted as a file runs to its end and reads the same', async (t) => {
  const sandbox = await sandboxOr(t, 'bubblewrap');
  if (sandbox === undefined) return;
  const analyser = createCodeAnalyser({ ...referenceProfile, deadlineMs: 20_000 });
  t.teardown(() => analyser.stop());

  for (const [name, code] of Object.entries(accepted)) {
    t.deepEqual(await analyser.analyse(Buffer.from(code)), { kind: 'clean' }, name);
    const { ending } = await tryAgent(sandbox, code);
    t.is(ending.reason, 'finished', `${name}: ${ending.detail}`);
    t.is(ending.stdoutTail, seen, name);
  }
  for (const [name, code] of Object.entries(refused)) {
    t.is((await analyser.analyse(Buffer.from(code))).kind, 'invalid', name);
    const { ending } = await tryAgent(sandbox, code);
    t.is(ending.reason, 'raised', name);
    t.regex(ending.detail, /^SyntaxError: /, name);
  }
});
