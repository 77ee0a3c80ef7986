import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { ModelAccess } from '../../../apps/validator/run/model-access.ts';

interface Told {
  readonly status: number;
  readonly body: object;
}

/** What an agent is told by a service that answers its question so, and what is counted of it. */
async function asked({ status, body }: Told) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const token = {
    provider: 'providera',
    access_token: 'token',
    base_url: `http://127.0.0.1:${port}/v1/inference`,
    expires_at: '2026-01-01T00:00:00Z',
  };
  const access = new ModelAccess(token, new AbortController().signal);
  const question = { messages: [{ role: 'user', content: 'mug?' }], model: 'm', max_tokens: 1 };
  const answer = await access.ask(question);
  server.closeAllConnections();
  server.close();
  return { answer, failures: access.failures };
}

test('an agent that names its model needs no list of them, and gets its answer', async (t) => {
  // The same answer goes to whoever asks for the list, which it is not.
  const body = { choices: [{ message: { content: 'a mug' } }] };

  t.deepEqual(await asked({ status: 200, body }), { answer: { result: 'a mug' }, failures: 0 });
});
