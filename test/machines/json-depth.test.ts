import test from 'ava';
import fc from 'fast-check';
import { deeperThan, morePartsThan } from '../../machines/json-depth.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('a body nests deeper than the deepest thing in it, and not than that', (t) => {
  const brackets = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'ü', 'a') });
  const value = fc.jsonValue({ maxDepth: 6 }).chain((inner) =>
    fc.tuple(brackets, fc.integer({ min: 0, max: 3 })).map(([text, wraps]) => {
      let wrapped: unknown = { [text]: [text, inner] };
      for (let wrap = 0; wrap < wraps; wrap++) wrapped = [text, wrapped];
      return wrapped;
    }),
  );
  const property = fc.property(value, fc.constantFrom(undefined, 1), (given, indent) => {
    const bytes = bytesOf(JSON.stringify(given, undefined, indent));
    const depth = depthOf(given);
    return !deeperThan(bytes, depth) && deeperThan(bytes, depth - 1);
  });

  t.notThrows(() => fc.assert(property, { numRuns: 2_000 }));
});

for (const text of ['', '"', '"[[[', '"\\', ']]]', '["\\"[[["', 'nonsense']) {
  test(`what ends too early does not nest: ${text}`, (t) => {
    t.false(deeperThan(bytesOf(text), 1));
  });
}

function partsOf(value: unknown): number {
  if (typeof value === 'string') return 1;
  if (typeof value !== 'object' || value === null) return 0;
  const names = Array.isArray(value) ? 0 : Object.keys(value).length;
  return 1 + names + Object.values(value).reduce((sum: number, inner) => sum + partsOf(inner), 0);
}

test('a body holds as many lists, objects and texts as there are in it', (t) => {
  const property = fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
    const bytes = bytesOf(JSON.stringify(value, undefined, indent));
    const parts = partsOf(value);
    return !morePartsThan(bytes, parts) && (parts === 0 || morePartsThan(bytes, parts - 1));
  });

  t.notThrows(() => fc.assert(property, { numRuns: 2_000 }));
});
