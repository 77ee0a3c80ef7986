/**
 * What an honest agent may count on inside of the box, in a real sandbox of each kind: the names, the threads and the
 * memory that it is promised, and that what it printed is there to read however it ended.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type SandboxKind, sandboxKinds } from '../../../apps/validator/sandbox/find-sandbox.ts';
import type { TaskLimits } from '../../../apps/validator/sandbox/limits.ts';
import { runAgent } from '../../../apps/validator/sandbox/run-agent.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { builtinNames } from '../../../infra/python/builtin-names.ts';
import { sandboxOr, tryAgent } from './try-sandbox.ts';

/** What the reference validator gives by default. */
const givenLimits = { memoryBytes: 512 * 1024 ** 2, processes: 32 };

const main = (...lines: readonly string[]) =>
  `def agent_main(problem):\n${lines.map((line) => `    ${line}`).join('\n')}\n`;

const boxOf = (t: ExecutionContext, kind: SandboxKind, limits: Partial<TaskLimits> = {}) =>
  sandboxOr(t, kind, { ...givenLimits, ...limits });

for (const kind of sandboxKinds) {
  test.serial(`an agent in ${kind} has all its threads, and memory beside them`, async (t) => {
    const sandbox = await boxOf(t, kind);
    if (sandbox === undefined) return;
    // The one that runs the agent and, at the most, two of the box's own are the others.
    const threads = givenLimits.processes - 3;
    const code = `import threading\nfrom concurrent.futures import ThreadPoolExecutor\n${main(
      `meeting = threading.Barrier(${threads})`,
      'def work(at):',
      '    meeting.wait(10)',
      '    return len([float(each) for each in range(50_000)])',
      `with ThreadPoolExecutor(${threads}) as pool:`,
      `    done = list(pool.map(work, range(${threads})))`,
      '    table = [float(each) for each in range(2_000_000)]',
      'print(len(done), len(table))',
    )}`;

    const { ending } = await tryAgent(sandbox, code);

    t.is(ending.reason, 'finished', JSON.stringify(ending));
    t.is(ending.stdoutTail, `${threads} 2000000\n`);
  });

  test.serial(`every name of Python's own that an agent may say is there in ${kind}`, async (t) => {
    const sandbox = await boxOf(t, kind);
    if (sandbox === undefined) return;
    const code = `import builtins\n${main(
      `for name in ${JSON.stringify([...builtinNames])}:`,
      '    if not hasattr(builtins, name):',
      '        print(name)',
    )}`;

    const { ending } = await tryAgent(sandbox, code);

    t.like(ending, { reason: 'finished', stdoutTail: '' });
  });

  for (const [end, ending] of [
    ['exit()', { reason: 'finished' }],
    ['quit(0)', { reason: 'finished' }],
    ['exit(3)', { reason: 'raised', detail: 'RuntimeError: the agent ended itself with code 3' }],
    ['quit("no mug")', { reason: 'raised' }],
  ] as const) {
    test.serial(`an agent in ${kind} that ends with ${end} has ended as it says`, async (t) => {
      const sandbox = await boxOf(t, kind);
      if (sandbox === undefined) return;
      const code = `from shop_tools import cart\n${main('cart.checkout()', 'print("ordered")', end)}`;

      const tried = await tryAgent(sandbox, code);

      t.like(tried.ending, { ...ending, stdoutTail: 'ordered\n' });
    });
  }

  for (const [how, ending, ...lines] of [
    ['calls too often', 'call_limit', 'while True:', '    search("mug")'],
    ['is not done in time', 'time_limit', 'time.sleep(3600)'],
    ['computes without end', 'cpu_limit', 'while True:', '    pass'],
    ['dies', 'died', 'os._exit(1)'],
  ] as const) {
    test.serial(`what an agent in ${kind} printed before it ${how} is not lost`, async (t) => {
      // Only the limit that is meant is near: a busy machine takes long over a second of computing.
      const near = ending === 'time_limit' ? { wallSeconds: 3 } : { cpuSeconds: 1 };
      const sandbox = await boxOf(t, kind, near);
      if (sandbox === undefined) return;
      const code = `import os, time\nfrom shop_tools import search\n${main('print("so far")', ...lines)}`;

      const tried = await tryAgent(sandbox, code);

      t.like(tried.ending, { reason: ending, stdoutTail: 'so far\n' });
    });
  }

  for (const [how, reason, end] of [
    ['is done', 'finished', 'pass'],
    ['raises', 'raised', 'raise ValueError("no")'],
  ] as const) {
    test.serial(`of an agent in ${kind} that ${how} half a line is not lost either`, async (t) => {
      const sandbox = await boxOf(t, kind);
      if (sandbox === undefined) return;
      const code = `import io, sys\n${main(
        'sys.stdout.write("half")',
        'sys.stderr.write("of it")',
        // Who is read no more has written all the same.
        'sys.stdout = sys.stderr = io.StringIO()',
        end,
      )}`;

      const { ending } = await tryAgent(sandbox, code);

      t.is(ending.reason, reason, JSON.stringify(ending));
      t.is(ending.stdoutTail, 'half');
      t.regex(ending.stderrTail, /^of it/);
    });
  }

  test.serial(`what has no order has the same in each run of ${kind}`, async (t) => {
    const sandbox = await boxOf(t, kind);
    if (sandbox === undefined) return;
    const code = main('print(list({"mug", "red", "blue", "cheap", "order"}), hash("mug"))');
    const orders = new Set<string>();
    for (let run = 0; run < 3; run += 1) {
      const { ending } = await tryAgent(sandbox, code);
      t.is(ending.reason, 'finished', JSON.stringify(ending));
      orders.add(ending.stdoutTail);
    }

    t.is(orders.size, 1, [...orders].join(''));
  });

  test.serial(`an answer for which ${kind} had no memory is nobody else's`, async (t) => {
    const sandbox = await boxOf(t, kind);
    if (sandbox === undefined) return;
    const code = `from shop_tools import call\n${main(
      'table, told = [], []',
      'try:',
      '    while True:',
      '        table.append(bytearray(1_000_000))',
      'except MemoryError:',
      '    pass',
      'del table[:3]',
      'for at in range(3):',
      '    try:',
      '        told.append(call("large", at=at)[:1])',
      '    except MemoryError:',
      '        told.append("none")',
      'table.clear()',
      'print(*told, call("small", at=3)[:9], len(call("large", at=4)))',
    )}`;

    const { ending } = await tryAgent(sandbox, code, (tool, given) => ({
      result: String(given['at']).repeat(tool === 'large' ? 2_000_000 : 1),
    }));

    t.is(ending.reason, 'finished', JSON.stringify(ending));
    t.is(ending.stdoutTail, 'none none none 3 2000000\n');
  });

  test.serial(`what ${kind} runs takes no variable and no module of who starts it`, async (t) => {
    const sandbox = await boxOf(t, kind);
    if (sandbox === undefined) return;
    const folder = await mkdtemp(join(tmpdir(), 'validator-cwd-'));
    t.teardown(() => rm(folder, { recursive: true }));
    for (const name of ['json', 'shop_channel', 'sitecustomize', 'usercustomize'])
      await writeFile(join(folder, `${name}.py`), 'raise RuntimeError("of the machine")\n');
    const code = `import json, os, sys\n${main(
      'names = sorted(name for name in os.environ if name.startswith("PYTHON"))',
      'print(json.dumps([names, sys.path[0], [each for each in sys.path[1:] if "python3" not in each]]))',
    )}`;
    const { command, args, inputs } = sandbox.commandFor(Buffer.from(code));
    const variables = [`HOME=${folder}`, `PYTHONPATH=${folder}:/usr/share`, `PYTHONHOME=${folder}`];
    const started = [
      ...['-C', folder, ...variables, 'PYTHONINSPECT=1', 'PYTHONWARNINGS=error', 'PYTHONVERBOSE=1'],
      ...[command, ...args],
    ];
    const ending = await runAgent({
      command: { command: 'env', args: started, inputs },
      ...{ limits: sandbox.limits, problem: {}, onCall: () => ({ result: null }) },
      ...{ clock: systemClock, signal: new AbortController().signal },
    });

    t.like(ending, { reason: 'finished', stderrTail: '' });
    t.deepEqual(JSON.parse(ending.stdoutTail), [['PYTHONHASHSEED'], '/sandbox', []]);
  });
}
