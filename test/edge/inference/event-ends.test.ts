import test from 'ava';
import fc from 'fast-check';
import { eventEnds } from '../../../apps/edge/inference/event-ends.ts';

/** As the marks are read by eye: of those that end first, each counts from behind the one before. */
function endsByHand(text: string): number[] {
  const ends: number[] = [];
  for (let start = 0; ; ) {
    const found = /\n\n|\r\n\r\n|\r\r/.exec(text.slice(start));
    if (found === null) return ends;
    start += found.index + found[0].length;
    ends.push(start);
  }
}

test('events end where an empty line does, however lines end', (t) => {
  const line = fc.constantFrom('\n', '\r', '\r\n', 'a', '\n\n', '\r\r', '\r\n\r\n');
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      t.deepEqual([...eventEnds({ bytes: Buffer.from(text), knownBytes: 0 })], endsByHand(text));
    }),
  );
});

test('a mark is found that began in what was looked through before', (t) => {
  for (const mark of ['\n\n', '\r\r', '\r\n\r\n']) {
    for (let knownBytes = 3; knownBytes < 3 + mark.length; knownBytes++) {
      const bytes = Buffer.from(`abc${mark}d`);
      t.deepEqual([...eventEnds({ bytes, knownBytes })], [3 + mark.length]);
    }
  }
});

for (const [what, text] of [
  ['empty lines alone', '\n\n'.repeat(32_768)],
  ['empty lines of two kinds', '\n\n\r\r'.repeat(16_384)],
  ['one event', 'x'.repeat(65_536)],
] as const) {
  test(`of ${what}, each byte is looked at a few times and no more`, (t) => {
    const bytes = Buffer.from(text);
    let looked = 0;
    const counting = {
      indexOf: (mark: string, from: number) => {
        const at = bytes.indexOf(mark, from);
        looked += (at === -1 ? bytes.length : at + mark.length) - from;
        return at;
      },
    };

    for (const _ of eventEnds({ bytes: counting, knownBytes: 0 }));

    t.true(looked <= 6 * bytes.length, `${looked} of ${bytes.length}`);
  });
}
