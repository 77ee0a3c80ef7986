import { type Context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import test from 'ava';
import fc from 'fast-check';
import { smallRoot } from '../../../infra/otel/small-context.ts';

const keys = ['a', 'b', 'c'].map((name) => createContextKey(name));

test('it holds what OpenTelemetry’s own holds, after each step of any', (t) => {
  const step = fc.record({
    key: fc.constantFrom(...keys),
    value: fc.option(fc.nat(), { nil: undefined }),
    deletes: fc.boolean(),
    /** Contexts are derived from any that were before. */
    from: fc.nat(),
  });
  const derived = (
    from: Context,
    { key, value, deletes }: { key: symbol; value: unknown; deletes: boolean },
  ) => (deletes ? from.deleteValue(key) : from.setValue(key, value));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const ours = [smallRoot];
      const theirs: Context[] = [ROOT_CONTEXT];
      for (const each of steps) {
        const from = each.from % ours.length;
        ours.push(derived(ours[from] ?? smallRoot, each));
        theirs.push(derived(theirs[from] ?? ROOT_CONTEXT, each));
      }
      const values = (context: Context) => keys.map((key) => context.getValue(key));
      t.deepEqual(ours.map(values), theirs.map(values));
    }),
  );
});

test('what is set again and again does not make it longer', (t) => {
  let context = smallRoot;
  for (let count = 0; count < 100_000; count += 1) {
    for (const key of keys) context = context.setValue(key, count);
  }
  // One that holds all of them is too deep to be asked.
  t.is(context.getValue(createContextKey('absent')), undefined);
  t.deepEqual(
    keys.map((key) => context.getValue(key)),
    [99_999, 99_999, 99_999],
  );
});
