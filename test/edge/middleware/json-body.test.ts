import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test from 'ava';
import { readJsonBody } from '../../../apps/edge/middleware/json-body.ts';
import { until } from '../../support/until.ts';

const body = JSON.stringify({ words: Array.from({ length: 2_000 }, (_, index) => `w${index}`) });

/** What is read of a body that comes in so many pieces, when `begins` says to begin. */
async function readInPieces(pieces: number, begins: (waiting: number) => boolean) {
  const read = Promise.withResolvers<unknown>();
  await using stack = new AsyncDisposableStack();
  const server = createServer(async (request, response) => {
    try {
      await until(async () => begins(request.readableLength));
      const { value } = await readJsonBody(request, response, { bytesMax: 100_000 });
      read.resolve(value);
      await once(response.end(), 'close');
      // Read to its end, so that the connection may bring the next one.
      if (!request.readableEnded) throw new Error('the request did not end');
    } catch (error) {
      read.reject(error);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stack.defer(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  stack.defer(() => void socket.destroy());
  socket.write(
    `POST / HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  const size = Math.ceil(body.length / pieces);
  for (let from = 0; from < body.length; from += size) {
    socket.write(body.slice(from, from + size));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return await read.promise;
}

for (const pieces of [1, 7]) {
  test(`a body in ${pieces} pieces that all wait in memory is read whole`, async (t) => {
    t.deepEqual(await readInPieces(pieces, (waiting) => waiting === body.length), JSON.parse(body));
  });

  test(`a body in ${pieces} pieces of which some are still to come is read whole`, async (t) => {
    t.deepEqual(await readInPieces(pieces, () => true), JSON.parse(body));
  });
}
