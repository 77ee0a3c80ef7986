import test from 'ava';
import fc from 'fast-check';
import { decodeAwsChunked } from '../../../infra/object-store/embedded/aws-chunked.ts';

// Invariant: however the network cuts a framed body, the same bytes and trailers come out; and no
// body that ends early or says something else passes.

async function decode(framed: Buffer, cutAfter: readonly number[] = []) {
  const trailers: [string, string][] = [];
  const pieces: Uint8Array[] = [];
  const decoded = decodeAwsChunked(cut(framed, cutAfter), (name, value) => {
    trailers.push([name, value]);
  });
  for await (const piece of decoded) pieces.push(piece);
  return { body: Buffer.concat(pieces), trailers };
}

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let rest = bytes;
  for (const size of sizes) {
    if (size >= rest.length) break;
    yield rest.subarray(0, size);
    rest = rest.subarray(size);
  }
  yield rest;
}

function frame(chunks: readonly Uint8Array[], trailer = ''): Buffer {
  const framed = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...framed, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

const chunksOfBytes = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 6 });
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 });

test('any chunks cut anywhere come out as the bytes that went in', async (t) => {
  await fc.assert(
    fc.asyncProperty(chunksOfBytes, cuts, async (chunks, cutAfter) => {
      const framed = frame(chunks, 'x-amz-checksum-crc32: AAAAAA==\r\n');
      const { body, trailers } = await decode(framed, cutAfter);
      t.true(body.equals(Buffer.concat(chunks)));
      t.deepEqual(trailers, [['x-amz-checksum-crc32', 'AAAAAA==']]);
    }),
    { numRuns: 200 },
  );
});

test('a body that ends before its last chunk is refused', async (t) => {
  const framed = frame([Buffer.from('some bytes')]);
  const lastChunkAt = framed.length - '0\r\n\r\n'.length;
  for (let size = 0; size <= lastChunkAt; size += 1) {
    await t.throwsAsync(decode(framed.subarray(0, size)), { name: 'S3Error' }, `${size} bytes`);
  }
});

test('the SDK ends a body without trailers right after its last chunk', async (t) => {
  t.is((await decode(Buffer.from('2\r\nhi\r\n0\r\n'))).body.toString(), 'hi');
});

const broken = {
  'a size that is no number': 'zz\r\nhi\r\n0\r\n\r\n',
  'a signed chunk': '2;chunk-signature=ab\r\nhi\r\n0\r\n\r\n',
  'a chunk longer than it says': '2\r\nhigh\r\n0\r\n\r\n',
  'a chunk shorter than it says': '4\r\nhi\r\n0\r\n\r\n',
  'a trailer without a name': '0\r\n:value\r\n\r\n',
  'bytes behind the end': '0\r\n\r\nmore',
  'too many trailers': `0\r\n${'a:b\r\n'.repeat(20)}\r\n`,
  'a line without an end': 'a'.repeat(5000),
};

for (const [title, framed] of Object.entries(broken)) {
  test(`${title} is refused`, async (t) => {
    await t.throwsAsync(decode(Buffer.from(framed)), { name: 'S3Error' });
  });
}
