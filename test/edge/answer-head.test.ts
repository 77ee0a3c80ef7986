import { get } from 'node:http';
import test from 'ava';
import { z } from 'zod';
import { jsonType } from '../../apps/edge/answer.ts';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { PreparedAnswer } from '../../apps/edge/prepared-answer.ts';
import { startFramework } from '../support/framework.ts';

const body = '{"a":1}';

/** Answers the same text, with headers of its own or none. */
function answering(path: string, headers: Readonly<Record<string, string>>) {
  return endpoint({
    ...{ method: 'get', path, role: 'public', owner: 'nobody' },
    ...{ summary: 'the same text', trafficClass: 2, faults: [] },
    response: z.object({ a: z.number() }),
    handle: async () => new PreparedAnswer({ body, headers }),
  });
}

/** Its headers as they came, without the second in which they were written. */
async function headOf(port: number, path: string, proxied: boolean): Promise<readonly string[]> {
  const headers = {
    traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
    ...(proxied && { 'x-forwarded-proto': 'https' }),
  };
  return await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume();
      const lines = answer.rawHeaders;
      const pairs = lines.flatMap((name, at) =>
        at % 2 === 0 && name !== 'Date' ? [`${name}: ${lines[at + 1]}`] : [],
      );
      answer.once('end', () => resolve(pairs));
    }).once('error', reject);
  });
}

for (const proxied of [false, true]) {
  const over = proxied ? 'TLS' : 'plain HTTP';

  test(`over ${over} a head that is written at once is the one that is set line by line`, async (t) => {
    const routes = [answering('/alone', {}), answering('/beside', { 'X-Other': '1' })];
    await using edge = await startFramework(routes, { trustedProxies: ['127.0.0.1'] });

    const alone = await headOf(edge.port, '/alone', proxied);
    const beside = await headOf(edge.port, '/beside', proxied);

    t.deepEqual(
      beside.filter((line) => line !== 'X-Other: 1'),
      alone,
    );
    t.is(beside.length, alone.length + 1);
    t.is(alone.includes('Strict-Transport-Security: max-age=31536000'), proxied);
    t.true(alone.includes(`Content-Type: ${jsonType}`));
  });
}

test('what a handler says of an answer stands in the place of what all answers say', async (t) => {
  const own = { 'Cache-Control': 'private', 'Content-Type': 'application/other+json' };
  await using edge = await startFramework([answering('/alone', {}), answering('/own', own)]);

  const alone = await headOf(edge.port, '/alone', false);
  const said = await headOf(edge.port, '/own', false);

  const kept = (line: string) => !/^(cache-control|content-type)/i.test(line);
  t.deepEqual(said.filter(kept), alone.filter(kept));
  t.true(said.includes('Cache-Control: private'));
  t.true(said.includes('Content-Type: application/other+json'));
  t.is(said.length, alone.length);
});
