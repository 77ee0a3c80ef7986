import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import test from 'ava';
import { z } from 'zod';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { receiveFile } from '../../apps/edge/operator/receive-file.ts';
import { startFramework } from '../support/framework.ts';
import { submissionEndpoint } from '../support/submission-endpoint.ts';

const common = { method: 'post', role: 'public', summary: 'reads a body' } as const;
const shape = { trafficClass: 1, response: z.object({ read: z.string() }), faults: [] } as const;

const json = endpoint({
  ...common,
  ...shape,
  path: '/json',
  body: z.object({ word: z.string() }),
  handle: async ({ body }) => ({ read: body.word }),
});

const optional = endpoint({
  ...common,
  ...shape,
  path: '/optional',
  body: z.object({ word: z.string() }).optional(),
  handle: async ({ body }) => ({ read: body?.word ?? 'nothing' }),
});

const raw = endpoint({
  ...common,
  ...shape,
  path: '/raw',
  bodyKind: 'raw',
  async handle({ context }) {
    const accept = { mediaTypes: ['application/gzip'], bytesMax: 1_000, scratch: tmpdir() };
    await using file = await receiveFile(context, accept);
    return { read: `${file.sizeBytes}: ${await readFile(file.path, 'latin1')}` };
  },
});

const endpoints = [json, optional, raw, submissionEndpoint()];

type Edge = Awaited<ReturnType<typeof startFramework>>;
let edge: Edge;
test.before(async () => {
  edge = await startFramework(endpoints);
});
test.after.always(() => edge?.drain());

/** What is said to two requests that come one after the other on one connection, without their ids. */
async function said(path: string, ...headers: readonly string[]): Promise<string> {
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', ...headers];
  const socket = connect(edge.port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  const chunks = await socket.toArray();
  const text = Buffer.concat(chunks).toString('latin1');
  return text.replaceAll(/^(x-request-id|date): .*\r\n/gim, '');
}

const types = ['application/json', 'application/gzip', 'multipart/form-data; boundary=b'];

// Node begins a request that names no body with one that has ended, and tells nobody of its end.
for (const { path } of endpoints) {
  for (const type of types) {
    test(`${path} answers no body as it answers an empty one, of ${type}`, async (t) => {
      const header = `Content-Type: ${type}`;
      const absent = await said(path, header);

      t.is(absent.match(/HTTP\/1\.1 \d{3} /g)?.length, 2);
      t.is(absent, await said(path, header, 'Content-Length: 0'));
      await t.notThrowsAsync(edge.until(() => edge.inFlight() === 0));
    });
  }
}
