/**
 * What an agent may try, tried in a real sandbox: each attempt is contained, and its end is the agent's
 * own. The submission checks refuse most of these files; the sandbox must hold without them.
 *
 * Where a kind of sandbox does not work, the one thing left to hold is that it says so: then no test
 * of it runs an agent, and `npm test` on a machine with bubblewrap or user namespaces runs them all.
 * Where the machine is known to have bubblewrap, `PADDOCK_NEEDS_SANDBOX=1` takes that way out.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { type EndReason, isAgentEnd } from '../../../apps/validator/sandbox/ending.ts';
import { sandboxKinds } from '../../../apps/validator/sandbox/find-sandbox.ts';
import type { TaskLimits } from '../../../apps/validator/sandbox/limits.ts';
import { Shopping } from '../../../apps/validator/shop/shopping.ts';
import { products, vouchers } from '../../../apps/world/demo/catalogue.ts';
import { processesWith } from '../../support/processes-with.ts';
import { until } from '../../support/until.ts';
import { sandboxOr, tryAgent } from './try-sandbox.ts';

interface Attempt {
  readonly title: string;
  readonly code: string;
  readonly reason: EndReason;
  readonly detail?: RegExp;
  readonly limits?: Partial<TaskLimits>;
}

const main = (...lines: readonly string[]) =>
  `def agent_main(problem):\n${lines.map((line) => `    ${line}`).join('\n')}\n`;

const attempts: readonly Attempt[] = [
  {
    title: 'an agent that opens a connection',
    code: `import socket\n${main('socket.create_connection(("127.0.0.1", 22), 1)')}`,
    reason: 'raised',
    detail: /PermissionError|OSError/,
  },
  {
    title: 'an agent that asks for a name',
    code: `import socket\n${main('socket.getaddrinfo("example.org", 80)')}`,
    reason: 'raised',
  },
  {
    title: 'a fork bomb',
    code: `import os\n${main('while True:', '    os.fork()')}`,
    reason: 'raised',
    detail: /BlockingIOError/,
  },
  {
    title: 'a fork bomb that swallows every error',
    code: `import os\n${main('while True:', '    try:', '        os.fork()', '    except OSError:', '        pass')}`,
    reason: 'time_limit',
    limits: { wallSeconds: 2 },
  },
  {
    title: 'an agent that writes a file',
    code: main('open("/tmp/mark", "w").write("x")'),
    reason: 'raised',
    detail: /OSError|FileNotFoundError|PermissionError/,
  },
  {
    title: 'an agent that writes where the program lies',
    code: main('open("/sandbox/runner.py", "w").write("x")'),
    reason: 'raised',
  },
  {
    title: 'an agent that reads the passwords of the machine',
    code: main('open("/etc/passwd").read()'),
    reason: 'raised',
    detail: /FileNotFoundError/,
  },
  {
    title: 'an agent that takes all memory',
    code: main('kept = []', 'while True:', '    kept.append(bytearray(20_000_000))'),
    reason: 'memory_limit',
  },
  {
    title: 'an agent whose children together take all memory',
    code: `import os, time\n${main(
      'for _ in range(6):',
      '    if os.fork() == 0:',
      '        kept = b"x" * 100_000_000',
      '        time.sleep(60)',
      'time.sleep(60)',
    )}`,
    reason: 'memory_limit',
  },
  {
    title: 'an agent whose children keep shared memory that none of them has',
    code: `import mmap, os, time\n${main(
      'for _ in range(4):',
      '    shared = mmap.mmap(-1, 150_000_000)',
      '    for at in range(0, len(shared), 4096):',
      '        shared[at] = 1',
      '    if os.fork() == 0:',
      '        time.sleep(60)',
      '    shared.close()',
    )}`,
    reason: 'raised',
    detail: /PermissionError/,
  },
  {
    title: 'an agent that never ends',
    code: main('while True:', '    pass'),
    reason: 'time_limit',
    limits: { wallSeconds: 2 },
  },
  {
    title: 'an agent that computes without end',
    code: main('while True:', '    pass'),
    reason: 'cpu_limit',
    limits: { cpuSeconds: 1 },
  },
  {
    title: 'an agent that computes without end and will not hear of it',
    code: `import signal\n${main('signal.signal(signal.SIGXCPU, signal.SIG_IGN)', 'while True:', '    pass')}`,
    reason: 'cpu_limit',
    limits: { cpuSeconds: 1 },
  },
  {
    title: 'an agent that is killed before its time',
    code: `import os, signal\n${main('os.kill(os.getpid(), signal.SIGKILL)')}`,
    reason: 'died',
  },
  {
    title: 'an agent that sleeps',
    code: `import time\n${main('time.sleep(3600)')}`,
    reason: 'time_limit',
    limits: { wallSeconds: 1 },
  },
  {
    title: 'an agent that prints without end',
    code: main('while True:', '    print("x" * 10_000)'),
    reason: 'output_limit',
  },
  {
    title: 'an agent that calls the shop without end',
    code: `from shop_tools import search\n${main('while True:', '    search("mug")')}`,
    reason: 'call_limit',
  },
  {
    title: 'an agent that writes a grade into the channel',
    code: `import os, time\n${main('os.write(3, b\'{"grade": 1}\\n\')', 'time.sleep(60)')}`,
    reason: 'protocol',
  },
  {
    title: 'an agent that writes a line without end into the channel',
    code: `import os\n${main('while True:', '    os.write(3, b"x" * 65536)')}`,
    reason: 'protocol',
  },
  {
    title: 'an agent that nests what it calls a tool with deeper than any call',
    code: `import os, time\n${main('inner = b"[" * 50_000 + b"]" * 50_000', 'os.write(3, b\'{"call": "x", "arguments": {"a": \' + inner + b"}}\\n")', 'time.sleep(60)')}`,
    reason: 'protocol',
  },
  {
    title: 'an agent that ends the process',
    code: `import os\n${main('os._exit(0)')}`,
    reason: 'died',
  },
  {
    title: 'an agent that kills every process it can name',
    code: `import os, signal\n${main('os.kill(-1, signal.SIGKILL)')}`,
    reason: 'raised',
    detail: /ProcessLookupError/,
  },
  {
    title: 'an agent that says goodbye with words that no database takes',
    code: main('raise ValueError("a\\0b\\ud800c")'),
    reason: 'raised',
    detail: /^ValueError: a\ufffdb\ufffdc$/,
  },
  {
    title: 'an agent that raises with many characters beyond the first plane',
    code: main('raise ValueError("\\U0001F6D2" * 400)'),
    reason: 'raised',
    detail: /^ValueError: \u{1f6d2}+$/u,
  },
  {
    title: 'an agent that raises by a name without end',
    code: main('raise type("E" * 1000, (Exception,), {})("no")'),
    reason: 'raised',
    detail: /^E{200}: no$/,
  },
  {
    title: 'an agent that pretends to be the runner, again and again',
    code: `import os, time\n${main('os.write(3, b\'{"note": "loaded"}\\n\' * 20)', 'time.sleep(60)')}`,
    reason: 'protocol',
  },
  {
    title: 'an agent that raises before its first step',
    code: 'raise RuntimeError("never tried")\n',
    reason: 'raised',
    detail: /RuntimeError: never tried/,
  },
  {
    title: 'a file without the function that is called',
    code: 'x = 1\n',
    reason: 'raised',
    detail: /agent_main/,
  },
];

/** Whose lines Python would show on standard error, which is public before the code is. */
const unreadable = [
  {
    fault: 'an error',
    code: main('problem["formula"] = 1 / 0'),
    told: /File "<agent\.py>", line 2, in agent_main\nZeroDivisionError/,
  },
  {
    fault: 'an error that the agent writes out itself',
    code: `import sys, traceback\n${main('try:', '    formula = 1 / 0', 'except ZeroDivisionError:', '    traceback.print_exc(file=sys.stderr)')}`,
    told: /File "<agent\.py>", line 4, in agent_main\nZeroDivisionError/,
  },
  {
    fault: 'an error in a thread',
    code: `import threading\n${main('def work():', '    formula = 1 / 0', 'one = threading.Thread(target=work)', 'one.start()', 'one.join()')}`,
    told: /File "<agent\.py>", line 4, in work\nZeroDivisionError/,
  },
  {
    fault: 'an error that nobody can catch',
    code: `class Kept:\n    def __del__(self):\n        formula = 1 / 0\n${main('kept = Kept()', 'del kept')}`,
    told: /File "<agent\.py>", line 3, in __del__\nZeroDivisionError/,
  },
  {
    fault: 'a warning',
    code: `import warnings\nwarnings.simplefilter("always")\n${main('warnings.warn("look"); formula = 1')}`,
    told: /<agent\.py>:4: UserWarning: look\n/,
  },
  {
    fault: 'a file that is not Python',
    code: 'formula = = 1\n',
    told: /File "<agent\.py>", line 1\nSyntaxError/,
  },
] as const;

for (const kind of sandboxKinds) {
  for (const { title, code, reason, detail, limits } of attempts) {
    test.serial(`${title} is contained by ${kind} and blamed for it`, async (t) => {
      const sandbox = await sandboxOr(t, kind, limits);
      if (sandbox === undefined) return;
      const { ending } = await tryAgent(sandbox, code);

      t.is(ending.reason, reason, JSON.stringify(ending));
      t.true(isAgentEnd(ending.reason));
      if (detail !== undefined) t.regex(ending.detail, detail);
      t.true(ending.stdoutTail.length + ending.stderrTail.length < 20_000);
    });
  }

  test.serial(`an honest agent plays its task to the end in ${kind}`, async (t) => {
    const sandbox = await sandboxOr(t, kind);
    if (sandbox === undefined) return;
    const code = `from shop_tools import cart, search\n${main('for each in search(problem["goal_text"]):', '    cart.add(each["product_id"])', 'print(cart.checkout())')}`;
    const { ending, calls } = await tryAgent(sandbox, code, (tool) =>
      tool === 'search' ? { result: [{ product_id: 'a' }] } : { result: tool },
    );

    t.is(ending.reason, 'finished', JSON.stringify(ending));
    t.deepEqual(calls, ['search', 'cart_add', 'cart_checkout']);
    t.is(ending.stdoutTail, 'cart_checkout\n');
  });

  for (const { fault, code, told } of unreadable) {
    test.serial(`${fault} in ${kind} says where, and shows nothing of the code`, async (t) => {
      const sandbox = await sandboxOr(t, kind);
      if (sandbox === undefined) return;
      const { ending } = await tryAgent(sandbox, code);

      t.regex(ending.stderrTail, told);
      t.notRegex(`${ending.stderrTail}${ending.detail}`, /formula/);
    });
  }

  for (const [tool, given] of [
    ['search', 'query={"toString": 1}, limit=1'],
    ['search', 'query="mug", limit={"toString": 1, "valueOf": 1}'],
    ['product', 'product_id={"toString": 1}'],
    ['cart_remove', 'product_id={"toString": 1}'],
  ] as const) {
    test.serial(`an agent in ${kind} that calls ${tool} with ${given} is told so`, async (t) => {
      const sandbox = await sandboxOr(t, kind);
      if (sandbox === undefined) return;
      const shopping = new Shopping({ products, vouchers });
      const code = `from shop_tools import call\n${main(`call("${tool}", ${given})`)}`;
      const answer = (name: string, asked: Readonly<Record<string, unknown>>) =>
        shopping.call(name, asked) ?? { error: `there is no tool ${name}` };
      const { ending } = await tryAgent(sandbox, code, answer);

      t.is(ending.reason, 'raised', JSON.stringify(ending));
      t.regex(ending.detail, /^ToolError: (query|limit|product_id): /);
    });
  }

  test.serial(
    `an agent in ${kind} sees no file, variable, process or device of the machine`,
    async (t) => {
      const secret = await mkdtemp(join(tmpdir(), 'validator-secret-'));
      t.teardown(() => rm(secret, { recursive: true }));
      await writeFile(join(secret, 'answers.json'), '{}');
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.teardown(() => server.close());
      const { port } = server.address() as AddressInfo;
      const sandbox = await sandboxOr(t, kind);
      if (sandbox === undefined) return;
      const code = `import os, json, socket
def tried(attempt):
    try:
        return attempt()
    except OSError as error:
        return type(error).__name__
def agent_main(problem):
    print(json.dumps({
        "folder": tried(lambda: os.listdir(${JSON.stringify(secret)})),
        "variables": sorted(set(os.environ) - {"LANG", "LC_CTYPE", "MALLOC_ARENA_MAX", "PWD", "PYTHONHASHSEED"}),
        "parent": tried(lambda: os.kill(${process.pid}, 0)),
        "devices": sorted(os.listdir("/dev")),
        "port": tried(lambda: socket.create_connection(("127.0.0.1", ${port}), 1)),
        "files": sorted(os.listdir("/sandbox")),
        "problem": sorted(problem),
    }))
`;
      const { ending } = await tryAgent(sandbox, code);
      const seen = JSON.parse(ending.stdoutTail);

      t.is(seen.folder, 'FileNotFoundError');
      t.deepEqual(seen.variables, []);
      t.is(seen.parent, 'ProcessLookupError');
      t.deepEqual(seen.devices, ['null', 'urandom', 'zero']);
      t.is(seen.port, 'PermissionError');
      t.deepEqual(
        seen.files.filter((name: string) => name !== 'filter'),
        ['agent.py', 'linecache.py', 'runner.py', 'shop_channel.py', 'shop_tools.py'],
      );
      t.deepEqual(seen.problem, ['family', 'goal_text', 'task_id']);
    },
  );

  test.serial(`a task in ${kind} that is stopped at any moment of its start is gone`, async (t) => {
    // By which its processes are known, in a list of all of the machine.
    const memoryBytes = 233 * 1024 ** 2 + process.pid * 4096;
    const sandbox = await sandboxOr(t, kind, { memoryBytes });
    if (sandbox === undefined) return;
    const code = `import time\n${main('time.sleep(3600)')}`;
    for (let afterMs = 0; afterMs < 60; afterMs += 1) {
      const stopping = new AbortController();
      const run = tryAgent(sandbox, code, undefined, stopping.signal);
      await sleep(afterMs);
      stopping.abort();
      const ended = await Promise.race([run, sleep(60_000, undefined, { ref: false })]);
      t.is(ended?.ending.reason, 'stopped', `after ${afterMs} ms`);
    }
    const left = async () => (await processesWith(`"memory_bytes":${memoryBytes},`)).length;
    await until(async () => (await left()) === 0);
  });

  test.serial(`nothing that an agent left behind in ${kind} outlives its task`, async (t) => {
    const sandbox = await sandboxOr(t, kind);
    if (sandbox === undefined) return;
    const mark = `mark-${process.pid}-${kind}`;
    const code = `import os, sys, time
def agent_main(problem):
    if os.fork() == 0:
        os.setsid()
        os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)", ${JSON.stringify(mark)}])
    time.sleep(0.5)
`;
    const { ending } = await tryAgent(sandbox, code);

    t.is(ending.reason, 'finished', JSON.stringify(ending));
    t.deepEqual(await processesWith(mark), []);
  });
}
