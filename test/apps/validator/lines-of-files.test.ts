/**
 * The submission check cannot tell each file that has Python show lines of other files from an honest one that logs
 * its errors. So the sandbox gives no lines, and an agent's own error says the file, the line's number and what it is.
 */
import test from 'ava';
import { sandboxKinds } from '../../../apps/validator/sandbox/find-sandbox.ts';
import { witnessed } from '../../infra/python/evasions/try-evasions.ts';
import { sandboxOr, tryAgent } from './try-sandbox.ts';
import { waysToLines } from './ways-to-lines.ts';

test.serial('each known way shows a line of another file in a Python as it comes', async (t) => {
  const evasions = waysToLines('/tmp/planted.txt').map(({ name, source }) => {
    const kind = { style: 'lines', category: 'FILE', reaches: 'text' } as const;
    return { id: name, ...kind, source };
  });
  const outcomes = await witnessed(evasions);
  const vain = evasions.map(({ id }, index) => `${id}: ${outcomes[index]}`);

  t.deepEqual(
    vain.filter((each) => !each.endsWith(': reached')),
    [],
  );
  t.true(evasions.length > 57);
});

const file = '/sandbox/shop_tools.py';
const line = 'What an agent may do in the Corner Shop';

/** An agent that goes all ways and prints of each whether it showed the line. */
const walker = (sources: readonly string[]) => `
import json
SOURCES = json.loads(${JSON.stringify(JSON.stringify(sources))})
def outcome(source):
    names = {"__name__": "agent"}
    try:
        exec(source, names)
    except Exception as error:
        return type(error).__name__
    return "shown" if ${JSON.stringify(line)} in (names["R"] or "") else "not shown"
def agent_main(problem):
    print(json.dumps([outcome(source) for source in SOURCES]))
`;

for (const kind of sandboxKinds) {
  test.serial(`no known way shows a line of another file in ${kind}`, async (t) => {
    const sandbox = await sandboxOr(t, kind);
    if (sandbox === undefined) return;
    const ways = waysToLines(file);
    const { ending } = await tryAgent(sandbox, walker(ways.map(({ source }) => source)));
    t.is(ending.reason, 'finished', JSON.stringify(ending));
    const outcomes = JSON.parse(ending.stdoutTail) as readonly string[];
    const others = ways.map(({ name }, index) => `${name}: ${outcomes[index]}`);

    t.deepEqual(
      others.filter((each) => !each.endsWith(': not shown')),
      [],
    );
    t.is(outcomes.length, ways.length);
  });
}

const honest = `
import json, logging, sys, warnings
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")
def price(text):
    return json.loads(text)
def agent_main(problem):
    try:
        price("{")
    except ValueError:
        logging.exception("no price")
    warnings.warn("look")
    price("")
`;

for (const kind of sandboxKinds) {
  test.serial(`an honest agent in ${kind} is told where it failed, and by what`, async (t) => {
    const sandbox = await sandboxOr(t, kind);
    if (sandbox === undefined) return;
    const { ending } = await tryAgent(sandbox, honest);

    t.is(ending.reason, 'raised', JSON.stringify(ending));
    const where =
      /File "<agent\.py>", line 8, in agent_main\n +File "<agent\.py>", line 5, in price\n/;
    t.regex(ending.stdoutTail, where);
    t.regex(ending.stdoutTail, /\njson\.decoder\.JSONDecodeError: Expecting property name/);
    t.regex(ending.stderrTail, /<agent\.py>:11: UserWarning: look\n/);
    t.regex(ending.stderrTail, /File "<agent\.py>", line 12, in agent_main\n/);
    t.regex(
      ending.stderrTail,
      /\/json\/decoder\.py", line \d+, in raw_decode\njson\.decoder\.JSONDecodeError/,
    );
  });
}
