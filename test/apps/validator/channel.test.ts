import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { lineLimits, lineReader, readMessage } from '../../../apps/validator/sandbox/channel.ts';
import { settings } from '../../../infra/config/settings.ts';

/** A call whose arguments, and with them its line, have so many levels. */
function callOf(levels: number): Buffer {
  const inner = '['.repeat(levels - 2) + ']'.repeat(levels - 2);
  return Buffer.from(`{"call":"x","arguments":{"a":${inner}}}`);
}

test('a call is read with as many levels as a request may have, and one more is no call', (t) => {
  t.deepEqual(Object.keys(readMessage(callOf(64)) ?? {}), ['call', 'arguments']);
  t.is(readMessage(callOf(65)), undefined);
  t.is(readMessage(callOf(60_000)), undefined);
});

test('brackets within a text are no levels', (t) => {
  const line = JSON.stringify({ call: 'search', arguments: { query: '['.repeat(1_000) } });

  t.truthy(readMessage(Buffer.from(line)));
});

/** Each list is a part, beside the seven of the line around them. */
const listsOf = (count: number) =>
  Buffer.from(`{"call":"x","arguments":{"a":[${'[],'.repeat(count - 1)}[]]}}`);

test('a call is read with as many parts as a question to a model may have, and no more', (t) => {
  t.truthy(readMessage(listsOf(lineLimits.partsMax - 7)));
  t.is(readMessage(listsOf(lineLimits.partsMax - 6)), undefined);
});

test('lines are the same, in whichever pieces they come', (t) => {
  const bytes = fc.uint8Array({ maxLength: 40 }).map((some) => some.map((one) => one % 12));
  const property = fc.property(fc.array(bytes), (pieces) => {
    const read = lineReader();
    const lines = pieces.flatMap((piece) => read(Buffer.from(piece)) ?? []);
    const all = Buffer.concat(pieces);
    const whole = all.subarray(0, all.lastIndexOf(10) + 1);
    return Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])).equals(whole);
  });

  t.notThrows(() => fc.assert(property, { numRuns: 1_000 }));
});

test('a line is read up to its limit, and given up as soon as it is longer', (t) => {
  const half = Buffer.alloc(lineLimits.bytesMax / 2, 'x');
  for (const rest of ['\n', 'x']) {
    const read = lineReader();

    t.deepEqual(read(half), []);
    t.deepEqual(read(half), []);
    const last = read(Buffer.from(rest));
    t.is(last?.[0]?.length, rest === '\n' ? lineLimits.bytesMax : undefined);
  }
  t.is(lineReader()(Buffer.concat([half, half, Buffer.from('x\n')])), undefined);
});

test('what fits into a line fits into a request for a completion', (t) => {
  const bodyMax = settings.INFERENCE_BODY_BYTES_MAX.schema.parse(
    settings.INFERENCE_BODY_BYTES_MAX.default ?? '',
  );
  // A name of a model, where the agent has left it to us: at the most 200 characters of an agent, of four bytes.
  t.true(lineLimits.bytesMax + 800 <= bodyMax, `${bodyMax}`);
});

const read = (path: string) => readFile(join(import.meta.dirname, '../../..', path), 'utf8');

test('an agent’s side of the channel has the same limits', async (t) => {
  const text = await read('apps/validator/sandbox/inside/shop_channel.py');
  const figure = (name: string) =>
    Number(new RegExp(`^${name} = ([\\d_]+)$`, 'm').exec(text)?.[1]?.replaceAll('_', ''));

  t.deepEqual(
    {
      bytesMax: figure('LINE_BYTES_MAX'),
      levelsMax: figure('LEVELS_MAX'),
      partsMax: figure('PARTS_MAX'),
      toolNameMax: figure('TOOL_NAME_MAX'),
    },
    lineLimits,
  );
});

for (const path of [
  'apps/validator/sandbox/inside/shop_tools.py',
  'infra/guides/miners.md',
  'infra/reference/reference-validator.md',
]) {
  test(`what a call may have stands in ${path}`, async (t) => {
    const text = (await read(path)).replaceAll(/\s+/g, ' ');

    t.regex(text, new RegExp(`${lineLimits.bytesMax.toLocaleString('en')} bytes`));
    t.regex(text, new RegExp(`${lineLimits.levelsMax} levels`));
    t.regex(text, new RegExp(`${lineLimits.partsMax.toLocaleString('en')} lists, dicts and texts`));
  });
}
