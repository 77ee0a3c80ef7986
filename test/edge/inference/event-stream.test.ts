import test from 'ava';
import fc from 'fast-check';
import { tapEvents } from '../../../apps/edge/inference/event-stream.ts';
import type { TokenUsage } from '../../../apps/edge/inference/read-usage.ts';

async function* cut(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  let start = 0;
  for (let index = 0; start < bytes.length; index++) {
    const end = start + (sizes[index % sizes.length] ?? 1);
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function tapped(text: string, hidesUsage: boolean, sizes: readonly number[] = [7]) {
  const seen: TokenUsage[] = [];
  const out: Uint8Array[] = [];
  const tap = { hidesUsage, onUsage: (usage: TokenUsage) => seen.push(usage) };
  for await (const chunk of tapEvents(cut(text, sizes), tap)) out.push(chunk);
  return { text: Buffer.concat(out).toString(), chunks: out.length, seen };
}

const words = 'data: {"choices":[{"delta":{"content":"ä"}}],"usage":null}\n\n';
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5}}\n\n';
const done = 'data: [DONE]\n\n';
const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 });

test('a stream comes out byte for byte, however it was cut', async (t) => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.constantFrom('\n', '\r\n', '\r'), async (some, end) => {
      const text = (words + words + usage + done).replaceAll('\n', end);
      const passed = await tapped(text, false, some);
      t.is(passed.text, text);
      t.deepEqual(passed.seen, [{ promptTokens: 3, completionTokens: 5 }]);
    }),
  );
});

test('usage that nobody asked for is left out, and nothing else', async (t) => {
  await fc.assert(
    fc.asyncProperty(sizes, async (some) => {
      const passed = await tapped(words + usage + done, true, some);
      t.is(passed.text, words + done);
      t.is(passed.seen.length, 1);
    }),
  );
});

test('usage that comes with words is passed on with them', async (t) => {
  const both = 'data: {"choices":[{"delta":{}}],"usage":{"completion_tokens":9}}\n\n';
  const passed = await tapped(both + done, true);
  t.is(passed.text, both + done);
  t.deepEqual(passed.seen, [{ promptTokens: 0, completionTokens: 9 }]);
});

test('each event goes on as soon as it is whole', async (t) => {
  const events = tapEvents(cut(words + words, [words.length + 4]), {
    ...{ hidesUsage: true, onUsage: () => undefined },
  });
  t.is(Buffer.from((await events.next()).value ?? []).toString(), words);
});

test('what is no event, or none that ends, goes through as it is', async (t) => {
  for (const text of ['', 'data: "usage"', 'data: {"usage": {}}\n\n', 'usage "usage" ]\n\n']) {
    t.deepEqual(await tapped(text, true), { text, chunks: Math.min(1, text.length), seen: [] });
  }
  const long = `data: ${'x'.repeat(3 * 1024 * 1024)}`;
  t.is((await tapped(long, true, [65_536])).text, long);
});

test('counts beyond all reason are bounded', async (t) => {
  const odd = 'data: {"choices":[],"usage":{"prompt_tokens":1e300,"completion_tokens":-4}}\n\n';
  t.deepEqual((await tapped(odd, false)).seen, [
    { promptTokens: 100_000_000, completionTokens: 0 },
  ]);
});
