import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { ClientGone, readJsonBody } from '../../../apps/edge/middleware/json-body.ts';
import { readSubmission } from '../../../apps/edge/submission/multipart.ts';

type Read = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

const readJson: Read = (request, response) => readJsonBody(request, response, { bytesMax: 1000 });
const readForm: Read = (request) =>
  readSubmission(request, { fileBytesMax: 1000, checkName: (name = '') => name });

/** What reading a body ends with whose connection broke before anybody began to read it. */
async function endOf(t: ExecutionContext, read: Read, text: string): Promise<unknown> {
  const server = createServer();
  server.on('clientError', (_error, socket) => socket.destroy());
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  socket.write(text);
  const [request, response] = await asked;
  request.on('error', () => undefined);
  const closed = new Promise((resolve) => request.once('close', resolve));
  // As while a caller is proved: the bytes that break it come meanwhile.
  socket.write('no chunk\r\n');
  await closed;
  return await read(request, response).then(
    () => 'read',
    (error: unknown) => error,
  );
}

const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: ';

test('a JSON body that broke before it was read is over at once, and holds no place', async (t) => {
  t.true((await endOf(t, readJson, `${head}application/json\r\n\r\n`)) instanceof ClientGone);
});

test('so is a form', async (t) => {
  const type = 'multipart/form-data; boundary=b';
  t.true((await endOf(t, readForm, `${head}${type}\r\n\r\n`)) instanceof ClientGone);
});
