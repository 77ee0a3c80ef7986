import { Readable } from 'node:stream';
import test from 'ava';
import { Documents } from '../../../apps/edge/artifacts/documents.ts';

const text = '{"words": ["ä", "中", "é"]}';
const bytes = Buffer.from(text);

/** A store of one document, which comes in pieces of five bytes. */
function storeOf(content: Buffer, sizeBytes = content.length) {
  const pieces = Array.from({ length: Math.ceil(content.length / 5) }, (_, at) =>
    content.subarray(5 * at, 5 * at + 5),
  );
  return new Documents(
    { size: async () => sizeBytes, getStream: async () => Readable.from(pieces) },
    1_000,
  );
}

// Put together at its end, a document of 64 MiB would hold up every other request for as long as its hash.
test('a document is put in its place piece by piece', async (t) => {
  t.deepEqual(await storeOf(bytes).read('key'), bytes);
  t.is(await storeOf(Buffer.from('no JSON')).read('key'), undefined);
  t.is(await storeOf(Buffer.from([0x5b, 0xff, 0x5d])).read('key'), undefined);
  t.is(await storeOf(Buffer.from(`["${'x'.repeat(1_000)}"]`)).read('key'), undefined);
});

for (const [what, sizeBytes] of [
  ['less', bytes.length + 1],
  ['more', bytes.length - 1],
] as const) {
  test(`a document that brings ${what} than its size is not shown`, async (t) => {
    const documents = storeOf(bytes, sizeBytes);

    await t.throwsAsync(documents.read('key'), { code: 'STORAGE_UNAVAILABLE' });
  });
}

test('a key that holds nothing any more has no document', async (t) => {
  const objects = { size: async () => 3, getStream: async () => undefined };

  t.is(await new Documents(objects, 1_000).read('key'), undefined);
});

// One that many ask for is held once, and compressed once.
test('who asks for a document that somebody still reads reads the same bytes', async (t) => {
  let loads = 0;
  const getStream = async () => {
    loads += 1;
    return Readable.from([bytes]);
  };
  const documents = new Documents({ size: async () => bytes.length, getStream }, 1_000);

  const first = await documents.read('key');

  t.is(await documents.read('key'), first);
  t.deepEqual(await documents.read('other'), bytes);
  t.is(loads, 2);
});
