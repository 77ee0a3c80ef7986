import test from 'ava';
import fc from 'fast-check';
import { countingEdge } from '../../../apps/edge/rates/counting-edge.ts';

const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 });
const key = fc.string();

test('every edge finds the same one to count a key, however it lists the edges', (t) => {
  fc.assert(
    fc.property(names, key, fc.nat(), (edges, asked, turn) => {
      const turned = [...edges.slice(turn % edges.length), ...edges.slice(0, turn % edges.length)];
      const found = countingEdge(edges, asked);
      t.true(edges.includes(found));
      t.is(countingEdge(turned, asked), found);
      t.is(countingEdge(edges.toReversed(), asked), found);
    }),
  );
});

test('only the keys of an edge that goes move', (t) => {
  fc.assert(
    fc.property(names, key, fc.nat(), (edges, asked, index) => {
      const gone = edges[index % edges.length];
      const rest = edges.filter((name) => name !== gone);
      const before = countingEdge(edges, asked);
      if (rest.length > 0 && before !== gone) t.is(countingEdge(rest, asked), before);
      t.pass();
    }),
  );
});

test('edges named as they are share the addresses evenly', (t) => {
  const edges = ['paddock-1f00aa21', 'paddock-1f00aa22', 'paddock-9c00aa21', 'edge-1-00000000'];
  const counts = new Map(edges.map((name) => [name, 0]));
  for (let host = 0; host < 4_000; host++) {
    const found = countingEdge(edges, `anonymous 10.0.${host >> 8}.${host & 255}`);
    counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  // 1,000 each is the mean; 4 standard deviations of a fair draw are 110.
  for (const [name, count] of counts) t.true(count > 890 && count < 1_110, `${name}: ${count}`);
});
