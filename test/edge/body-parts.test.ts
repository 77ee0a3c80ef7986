import test from 'ava';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../../apps/edge/endpoint.ts';
import { startFramework } from '../support/framework.ts';

const taking = (path: string, bodyLimit: NonNullable<Endpoint['bodyLimit']>) =>
  endpoint({
    ...{ method: 'post', role: 'validator', summary: 'Takes anything', trafficClass: 0, path },
    body: z.looseObject({}),
    bodyLimit,
    response: z.object({}),
    faults: [],
    handle: async () => ({}),
  });

const kinds = [
  { path: '/results', bodyLimit: 'results', most: 200_000 },
  { path: '/complete-chat', bodyLimit: 'inference', most: 50_000 },
] as const;

/** An object with one name and a list, and the rest of its parts in that. */
const ofParts = (parts: number) => ({ a: Array(parts - 3).fill({}) });

for (const { path, most, bodyLimit } of kinds) {
  test(`a body for ${path} has at most ${most} parts, however few bytes they take`, async (t) => {
    await using edge = await startFramework([taking(path, bodyLimit)]);

    t.is((await edge.post(path, ofParts(most))).status, 200);
    const answer = await edge.post(path, ofParts(most + 1));

    t.is(answer.status, 413);
    t.like(await answer.json(), { error_code: 'BODY_TOO_LARGE' });
  });
}

test('a suite of an operator may have as many parts as its bytes hold', async (t) => {
  await using edge = await startFramework([taking('/suites', 'operator')]);

  t.is((await edge.post('/suites', ofParts(300_000))).status, 200);
});
