import test from 'ava';
import fc from 'fast-check';
import { rankModels } from '../../../apps/edge/inference/rank-models.ts';
import type { ServedModel } from '../../../infra/ports/inference.ts';

const model = (modelId: string, rest: Partial<ServedModel> = {}): ServedModel => ({
  ...{ modelId, healthy: true, load: 0.5, latencyMs: 100 },
  ...rest,
});

const order = (allowed: readonly string[], seen: readonly ServedModel[]) =>
  rankModels(allowed, seen).map(({ modelId }) => modelId);

test('health counts before load, load before latency, and then the id', (t) => {
  const seen = [
    model('ill', { healthy: false, load: 0 }),
    model('busy', { load: 0.9, latencyMs: 1 }),
    model('slow', { load: 0.1, latencyMs: 900 }),
    model('b-twin'),
    model('a-twin'),
    model('quick', { load: 0.1, latencyMs: 10 }),
    model('silent', { load: null, latencyMs: null }),
  ];
  t.deepEqual(order(['gone', ...seen.map(({ modelId }) => modelId)], seen), [
    ...['quick', 'slow', 'a-twin', 'b-twin', 'busy', 'silent', 'ill', 'gone'],
  ]);
});

test('a model that is allowed but not served is listed as such', (t) => {
  t.deepEqual(rankModels(['gone'], []), [
    { modelId: 'gone', healthy: false, load: null, latencyMs: null, served: false },
  ]);
});

test('the ranking holds each allowed model once, in whatever order they were seen', (t) => {
  const ids = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1 });
  const some = fc.record({
    healthy: fc.boolean(),
    load: fc.option(fc.constantFrom(0, 0.5, 1)),
    latencyMs: fc.option(fc.constantFrom(1, 2)),
  });
  fc.assert(
    fc.property(
      ids,
      ids,
      fc.array(some, { minLength: 8, maxLength: 8 }),
      (allowed, seen, states) => {
        const models = seen.map((id, index) => model(id, states[index] ?? {}));
        const ranked = order(allowed, models);
        t.deepEqual([...ranked].sort(), [...allowed].sort());
        t.deepEqual(order([...allowed].reverse(), [...models].reverse()), ranked);
      },
    ),
  );
});
