import test from 'ava';
import fc from 'fast-check';
import { KeptSteps, stepsBytesMax } from '../../../apps/validator/run/kept-steps.ts';
import { lineLimits } from '../../../apps/validator/sandbox/channel.ts';
import type { Step } from '../../../apps/validator/shop/shopping.ts';
import { settings } from '../../../infra/config/settings.ts';

const small: Step = {
  tool: 'search',
  arguments: { query: 'mug' },
  answer: { result: ['m-1'] },
  at_ms: 1,
};
const question = (bytes: number): Step => ({
  tool: 'ask_model',
  // As many as its JSON has around the text.
  arguments: { messages: 'x'.repeat(bytes - 15) },
  answer: { result: 'yes' },
  at_ms: 2,
});

test('a step is kept as it is', (t) => {
  const steps = new KeptSteps();
  steps.add(small);

  t.deepEqual(steps.all, [small]);
});

test('of long conversations the first one is kept, and of all others the calls between them', (t) => {
  const steps = new KeptSteps();
  for (let round = 0; round < 20; round++) {
    steps.add(question(lineLimits.bytesMax));
    steps.add(small);
  }

  const [first, ...others] = steps.all.filter(({ tool }) => tool === 'ask_model');
  t.is(first?.left_out_bytes, undefined);
  for (const { left_out_bytes, arguments: given, answer } of others) {
    t.deepEqual(
      { left_out_bytes, given },
      { left_out_bytes: { arguments: 4_000_000 }, given: null },
    );
    t.deepEqual(answer, { result: 'yes' });
  }
  const between = steps.all.filter(({ tool }) => tool === 'search');
  t.deepEqual(between, Array<Step>(20).fill(small));
});

test('an answer that is too long is left out by itself', (t) => {
  const steps = new KeptSteps(100);
  steps.add({ ...small, answer: { error: 'x'.repeat(200) } });

  t.deepEqual(steps.all, [{ ...small, answer: null, left_out_bytes: { answer: 212 } }]);
});

test('whatever an agent asks and is answered, its steps are all there, and bounded', (t) => {
  const part = fc.string({ unit: fc.constantFrom('x', 'ж', '\ud800', '"'), maxLength: 200 });
  const property = fc.property(fc.array(fc.tuple(part, part)), (parts) => {
    const steps = new KeptSteps(1_000);
    for (const [query, result] of parts)
      steps.add({ ...small, arguments: { query }, answer: { result } });
    const kept = steps.all.flatMap((step) => [step.arguments, step.answer]).filter(Boolean);
    const bytes = kept.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
    return steps.all.length === parts.length && bytes <= 1_000;
  });

  t.notThrows(() => fc.assert(property, { numRuns: 1_000 }));
});

test('an episode fits into the artifact that a service takes, many times', (t) => {
  const { schema, default: told } = settings.ARTIFACT_BYTES_MAX;

  t.true(stepsBytesMax * 4 < schema.parse(told ?? ''));
});
