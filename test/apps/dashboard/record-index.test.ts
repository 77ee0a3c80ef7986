import test from 'ava';
import fc from 'fast-check';
import { ByteStore } from '../../../apps/dashboard/browser/trajectory/byte-store.ts';
import { RecordIndex } from '../../../apps/dashboard/browser/trajectory/record-index.ts';

/** The records of a text that comes in pieces of so many bytes. */
function recordsOf(text: string, pieceBytes: number): string[] {
  const bytes = new TextEncoder().encode(text);
  const index = new RecordIndex();
  const store = new ByteStore();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    index.add(piece);
    store.add(piece);
  }
  index.finish();
  return Array.from({ length: index.count }, (_, at) => store.text(...index.at(at)).trim());
}

const pieces = fc.integer({ min: 1, max: 40 });
const values = fc.array(fc.jsonValue(), { minLength: 1, maxLength: 8 });
const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), {
  minLength: 2,
  maxLength: 8,
});

test('of an array each element is a record, however its bytes are cut', (t) => {
  fc.assert(
    fc.property(values, pieces, fc.constantFrom(0, 2), (elements, size, indent) => {
      const records = recordsOf(JSON.stringify(elements, null, indent), size);
      t.deepEqual(
        records.map((record) => JSON.parse(record)),
        JSON.parse(JSON.stringify(elements)),
      );
    }),
  );
});

test('of lines of JSON each value is a record', (t) => {
  fc.assert(
    fc.property(objects, pieces, (lines, size) => {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      t.deepEqual(
        recordsOf(text, size),
        lines.map((line) => JSON.stringify(line)),
      );
    }),
  );
});

test('of one object each property is a record, and each element of its lists', (t) => {
  const text =
    '{"task": "a \\" ] }", "steps": [{"n": [1, 2]}, {"n": 2}], "none": [], "end": {"ok": true}}';
  for (const size of [1, 7, 1000]) {
    t.deepEqual(recordsOf(text, size), [
      '"task": "a \\" ] }"',
      '{"n": [1, 2]}',
      '{"n": 2}',
      '"end": {"ok": true}',
    ]);
  }
});

test('anything else is told by its lines', (t) => {
  t.deepEqual(recordsOf('first\nsecond { "a"\n\nlast', 3), ['first', 'second { "a"', '', 'last']);
});

test('a file that was cut shows all that it has', (t) => {
  t.deepEqual(recordsOf('[{"a": 1}, {"b": "un', 5), ['{"a": 1}', '{"b": "un']);
  t.deepEqual(recordsOf('', 5), []);
  t.deepEqual(recordsOf(' \n ', 1), []);
});

test('brackets that do not fit bring nothing down', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",\\:1 \n') }), pieces, (text, size) => {
      const records = recordsOf(text, size);
      t.true(records.every((record) => text.includes(record)));
    }),
  );
});
