import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { agentVersion } from '../../machines/agent-version/machine.ts';
import { decode, encode } from '../../machines/codec.ts';
import { emission } from '../../machines/emission/machine.ts';
import { evaluationRun } from '../../machines/evaluation-run/machine.ts';
import { evolve, type Fact, type Model, ModelBug, unborn } from '../../machines/kernel.ts';
import { race } from '../../machines/race/machine.ts';
import { workItem } from '../../machines/work-item/machine.ts';

const models = [agentVersion, emission, evaluationRun, race, workItem] as unknown as Model<
  unknown,
  Fact
>[];
const forbidden = ['invoke', 'after', 'always', 'entry', 'exit', 'spawn', 'output', 'onDone'];

for (const model of models) {
  test(`${model.name} asks nothing of the library but to reduce`, (t) => {
    const keys = new Set<string>();
    walk(model.machine.config, (key) => keys.add(key));

    t.deepEqual(
      forbidden.filter((key) => keys.has(key)),
      [],
    );
    t.true(keys.has('on'));
  });

  test(`${model.name} refuses a fact that it does not know`, (t) => {
    const fact = { type: 'NO_SUCH_FACT' };

    t.throws(() => evolve(model, unborn(model), fact), {
      instanceOf: ModelBug,
    });
  });

  test(`${model.name} refuses a row of a newer process, and a state it does not know`, (t) => {
    const stored = { ...encode(model, unborn(model)) };
    const newer = { ...stored, machineVersion: model.version + 1 };
    const unknown = { ...stored, value: 'nowhere' };

    t.throws(() => decode(model, newer), { message: /newer process/ });
    t.throws(() => decode(model, unknown), { message: /no state/ });
  });
}

test('every stored form that ever was can still be read', (t) => {
  const folder = join(import.meta.dirname, 'golden');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  for (const model of models) {
    for (let version = 1; version <= model.version; version += 1) {
      const name = `${model.name}.v${version}.json`;
      t.true(files.includes(name), `${name} is missing`);
      const stored = JSON.parse(readFileSync(join(folder, name), 'utf8'));

      const state = decode(model, stored);

      t.true(state.value in model.machine.states);
      if (version === model.version) {
        const { machineVersion, value, context } = encode(model, state);
        t.deepEqual({ machineVersion, value, context }, stored);
      }
    }
  }
});

test('an old row climbs the chain of upcasts, one version at a time', (t) => {
  const machine = setup({}).createMachine({
    context: { count: 0 },
    initial: 'here',
    states: { here: { on: { ADDED: { actions: assign({ count: 1 }) } } } },
  });
  const model: Model<{ count: number }, { type: 'ADDED' }> = {
    name: 'chain',
    version: 3,
    machine,
    context: z.object({ count: z.number() }),
    upcasts: {
      1: ({ context }) => ({ value: 'there', context }),
      2: ({ context }) => ({ value: 'here', context: { count: (context as { n: number }).n } }),
    },
    openValues: [],
  };

  t.deepEqual(decode(model, { machineVersion: 1, value: 'old', context: { n: 4 } }), {
    value: 'here',
    context: { count: 4 },
  });
  t.throws(() => decode(model, { machineVersion: 0, value: 'old', context: {} }), {
    message: /no way up from 0/,
  });
});

function walk(value: unknown, visit: (key: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    visit(key);
    // A context may hold any word; only the machine's own vocabulary is of interest.
    if (key !== 'context' && key !== 'states') walk(inner, visit);
    if (key === 'states') for (const state of Object.values(inner)) walk(state, visit);
  }
}
