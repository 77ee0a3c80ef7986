/**
 * What an honest agent may ask of a tool: a call that the channel would not take is told to it before
 * anything is written, in a real sandbox. Whoever writes into the channel itself is ended: `sandbox.test.ts`.
 */
import test from 'ava';
import { lineLimits } from '../../../apps/validator/sandbox/channel.ts';
import type { Sandbox } from '../../../apps/validator/sandbox/find-sandbox.ts';
import { runAgent, type ToolAnswer } from '../../../apps/validator/sandbox/run-agent.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { sandboxOr, tryAgent } from './try-sandbox.ts';

const { bytesMax, levelsMax, partsMax } = lineLimits;

interface Asked {
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
}

/** Tries it, prints what it is told, and orders: no call that is refused is the end of a task. */
const trying = (attempt: string, before = '') => `
import json, math, os
from concurrent.futures import ThreadPoolExecutor
from shop_tools import ToolError, ask_model, call, cart, search
${before}
def agent_main(problem):
    try:
        ${attempt}
    except ToolError as error:
        print("told", ascii(str(error)))
    cart.checkout()
`;

async function play(
  sandbox: Sandbox,
  code: string,
  answer: (asked: Asked) => ToolAnswer = () => ({ result: null }),
) {
  const asked: Asked[] = [];
  const { ending } = await tryAgent(sandbox, code, (tool, given) => {
    asked.push({ tool, given });
    return answer({ tool, given });
  });
  return { ending, asked, tools: asked.map(({ tool }) => tool) };
}

/** A line of these arguments to `x`, without what is left open. */
const rest = (given: string) => Buffer.byteLength(`{"call":"x","arguments":${given}}`);

for (const [title, attempt, count] of [
  ['a text of another script', 'ask_model("ж" * 30_000)', 1],
  ['a line as long as one may be', `call("x", a="e" * ${bytesMax - rest('{"a":""}')})`, 1],
  [
    'the same in bytes, not characters',
    `call("x", a="ж" * ${(bytesMax - rest('{"a":""}')) >> 1})`,
    1,
  ],
  [
    'a conversation of many turns',
    'ask_model([{"role": "user", "content": "é" * 500}] * 3_000)',
    1,
  ],
  [
    'lists as deep as they may nest',
    `call("x", a=json.loads("[" * ${levelsMax - 2} + "]" * ${levelsMax - 2}))`,
    1,
  ],
  ['as many texts as there may be', `call("x", a=[""] * ${partsMax - 7})`, 1],
  ['brackets and quotes within a text', 'call("x", a="\\\\[{" * 100_000 + "\\"" * 100_001)', 1],
  ['texts that end in backslashes', 'call("x", a=["\\\\", "[" * 100, "\\\\\\"", "[" * 100])', 1],
  ['half of a surrogate pair', 'search("\\ud800")', 1],
  ['a tool that nobody has, by a name as long as one may be', 'call("x" * 50)', 1],
  ['keys that are no texts', 'call("x", a={1: 1, None: 2, 1.5: 3, True: 4})', 1],
  [
    'many threads at a time',
    'list(ThreadPoolExecutor(3).map(lambda at: ask_model(str(at) * 90_000), range(6)))',
    6,
  ],
] as const) {
  test.serial(`an agent may ask a tool with ${title}`, async (t) => {
    const sandbox = await sandboxOr(t, 'bubblewrap');
    if (sandbox === undefined) return;

    const { ending, tools } = await play(sandbox, trying(attempt));

    t.is(ending.reason, 'finished', JSON.stringify(ending));
    t.is(ending.stdoutTail, '');
    t.is(tools.length, count + 1);
  });
}

for (const [title, attempt, told] of [
  [
    'a line that is too long',
    `call("x", a="e" * ${bytesMax - rest('{"a":""}') + 1})`,
    /^x: .* 4000001 bytes .* 4000000/,
  ],
  ['a text that is far too long', 'ask_model("ж" * 3_000_000)', /^ask_model: .* 4000000/],
  [
    'lists that nest deeper',
    `call("x", a=json.loads("[" * ${levelsMax - 1} + "]" * ${levelsMax - 1}))`,
    /^x: .* 64 levels/,
  ],
  ['lists that nest without end', 'a = []; a.append(a); call("x", a=a)', /^x: /],
  [
    'more texts than there may be',
    `call("x", a=[""] * ${partsMax - 6})`,
    /^x: .* 50000 lists, dicts and texts/,
  ],
  [
    'more lists than there may be',
    `call("x", a=[[]] * ${partsMax})`,
    /^x: .* 50000 lists, dicts and texts/,
  ],
  ['no number', 'call("x", a=math.nan)', /^x: /],
  ['a number beyond all', 'call("x", a={math.inf: 1})', /^x: /],
  ['what is no JSON', 'call("x", a={1, 2})', /^x: .*set/],
  ['a key that is no text', 'call("x", a={(1, 2): 3})', /^x: .*tuple/],
  ['a whole number that no text has', 'call("x", a=10 ** 5_000)', /^x: /],
  ['a tool by a name without end', 'call("x" * 51)', /name of a tool/],
  ['a tool by a number', 'call(5)', /name of a tool/],
] as const) {
  test.serial(`an agent that asks a tool with ${title} is told so, and goes on`, async (t) => {
    const sandbox = await sandboxOr(t, 'bubblewrap');
    if (sandbox === undefined) return;

    const { ending, tools } = await play(sandbox, trying(attempt));

    t.is(ending.reason, 'finished', JSON.stringify(ending));
    t.regex(/^told '(.*)'\n$/.exec(ending.stdoutTail)?.[1] ?? ending.stdoutTail, told);
    t.deepEqual(tools, ['cart_checkout']);
  });
}

test.serial('a process that an agent forked is told that it may not call', async (t) => {
  const sandbox = await sandboxOr(t, 'bubblewrap');
  if (sandbox === undefined) return;
  const forked = `
def from_child():
    child = os.fork()
    if child != 0:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        return
    try:
        search("mug")
    except ToolError:
        os._exit(7)
    os._exit(0)
`;

  const { ending, tools } = await play(sandbox, trying('from_child()', forked));

  t.is(ending.reason, 'finished', JSON.stringify(ending));
  t.is(ending.stdoutTail, '7\n');
  t.deepEqual(tools, ['cart_checkout']);
});

test.serial('what an agent asks and is answered is the same on both sides', async (t) => {
  const sandbox = await sandboxOr(t, 'bubblewrap');
  if (sandbox === undefined) return;
  const texts = ['ж\u2028"\\\n\u0000\u007f', '\u{1f6d2}'.repeat(2_000), '\ud800x\udfff'];
  const attempt = `[print(ascii(call("x", a=a))) for a in json.loads(${JSON.stringify(JSON.stringify(texts))})]`;

  const { ending, asked } = await play(sandbox, trying(attempt), ({ given: { a = null } }) => ({
    result: a === texts[1] ? 'long' : a,
  }));

  t.is(ending.reason, 'finished', JSON.stringify(ending));
  t.deepEqual(
    asked.slice(0, 3).map(({ given }) => given['a']),
    texts,
  );
  t.deepEqual(ending.stdoutTail.split('\n').slice(0, 3), [
    `'\\u0436\\u2028"\\\\\\n\\x00\\x7f'`,
    `'long'`,
    `'\\ud800x\\udfff'`,
  ]);
});

test.serial('each of many threads gets its own answer', async (t) => {
  const sandbox = await sandboxOr(t, 'bubblewrap');
  if (sandbox === undefined) return;
  const attempt =
    'print([len(a) for a in ThreadPoolExecutor(3).map(lambda at: ask_model("x" * at), range(60_000, 70_000, 1_000))])';

  const { ending } = await play(sandbox, trying(attempt), ({ given }) => ({
    result: (given['messages'] as readonly { content: string }[] | undefined)?.[0]?.content ?? '',
  }));

  t.is(ending.reason, 'finished', JSON.stringify(ending));
  t.deepEqual(
    JSON.parse(ending.stdoutTail),
    Array.from({ length: 10 }, (_, at) => 60_000 + at * 1_000),
  );
});

test.serial(
  'an agent that is done has finished, whatever its threads still wait for',
  async (t) => {
    const sandbox = await sandboxOr(t, 'bubblewrap');
    if (sandbox === undefined) return;
    const code = `
import threading, time
from shop_tools import ask_model, cart
def agent_main(problem):
    for at in range(4):
        threading.Thread(target=ask_model, args=["x" * 3_000_000], daemon=True).start()
    time.sleep(0.3)
`;
    const ending = await runAgent({
      command: sandbox.commandFor(Buffer.from(code)),
      limits: sandbox.limits,
      problem: {},
      onCall: () => new Promise(() => undefined),
      clock: systemClock,
      signal: new AbortController().signal,
    });

    t.is(ending.reason, 'finished', JSON.stringify(ending));
  },
);

test.serial('what an agent printed before it raised is not lost', async (t) => {
  const sandbox = await sandboxOr(t, 'bubblewrap');
  if (sandbox === undefined) return;

  const code = 'def agent_main(problem):\n    print("so far")\n    raise ValueError("no")\n';
  const { ending } = await play(sandbox, code);

  t.like(ending, { reason: 'raised', detail: 'ValueError: no', stdoutTail: 'so far\n' });
});

test.serial('an exception that cannot say what it is has been raised all the same', async (t) => {
  const sandbox = await sandboxOr(t, 'bubblewrap');
  if (sandbox === undefined) return;
  const broken =
    'class Broken(Exception):\n    def __str__(self):\n        raise ValueError("no")\n';

  const { ending } = await play(sandbox, `${broken}def agent_main(problem):\n    raise Broken()\n`);

  t.like(ending, { reason: 'raised', detail: 'Broken' });
});
