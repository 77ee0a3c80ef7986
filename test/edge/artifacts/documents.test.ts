import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { Documents } from '../../../apps/edge/artifacts/documents.ts';
import { PreparedAnswer } from '../../../apps/edge/prepared-answer.ts';
import { PublicReads } from '../../../apps/edge/public-reads/public-reads.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentTelemetry } from '../../support/silent-telemetry.ts';

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

// One that many ask for is held once, and compressed once, for as long as somebody reads it slowly.
test('who asks for a document that somebody still reads reads the same bytes', async (t) => {
  let loads = 0;
  const content = Buffer.from(JSON.stringify({ text: 'x'.repeat(100_000) }));
  const getStream = async () => {
    loads += 1;
    return Readable.from([content]);
  };
  const documents = new Documents({ size: async () => content.length, getStream }, 1_000_000);
  const reads = new PublicReads({
    ...{ clock: new ManualClock(), patienceMs: 1_000, addressOf: () => 'here' },
    ...{ telemetry: silentTelemetry, bytesPerSecondMin: 1_000 },
    largestBytes: 1_000_000,
  });
  const read = () =>
    reads.read('key', async () => {
      const body = await documents.read('key');
      return new PreparedAnswer({ body: body ?? '', sha256: 'a'.repeat(64) });
    });
  // No more of an answer than this is held while it is sent.
  const response = Object.assign(new EventEmitter(), {
    req: { socket: {} },
  }) as unknown as ServerResponse;
  const beginTo = async () => {
    const shown = await read();
    reads.large.hold(response, shown.content, shown);
  };
  await beginTo();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate);
    collect();
  }

  await read();
  t.is(loads, 1);

  response.emit('close');
  t.is(reads.large.heldBytes, 0);
});
