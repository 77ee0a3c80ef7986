import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { startFramework } from '../support/framework.ts';

const read = endpoint({
  ...{ method: 'get', path: '/read', role: 'public', summary: 'Reads', trafficClass: 2 },
  response: z.object({}),
  faults: [],
  handle: async () => ({}),
});
const beat = endpoint({
  ...{ method: 'post', path: '/beat', role: 'validator', summary: 'Beats', trafficClass: 0 },
  response: z.object({}),
  faults: [],
  handle: async () => ({}),
});

/** Of ten numbers, four of five or fewer would be one in a million millions of runs. */
const asked = 64;

function areSpread(t: ExecutionContext, told: readonly (string | null)[]): void {
  t.is(told.length, asked);
  for (const text of told) t.regex(text ?? '', /^([1-9]|[12][0-9]|30)$/);
  t.true(new Set(told).size > 4, `only ${[...new Set(told)].join(', ')}`);
}

test('those who are turned away together are told to come back apart', async (t) => {
  const nobody = { class0: 0, class1: 0, class2: 0 };
  await using edge = await startFramework([read, beat], { admission: nobody });
  for (const shed of [() => edge.get('/read'), () => edge.post('/beat', {})]) {
    const answers = await Promise.all(Array.from({ length: asked }, shed));
    t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
    areSpread(
      t,
      answers.map(({ headers }) => headers.get('retry-after')),
    );
    await Promise.all(answers.map((answer) => answer.text()));
  }
});
