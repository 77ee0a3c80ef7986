import { once } from 'node:events';
import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { sendBody } from '../../../apps/edge/answer.ts';
import { AnswerPace } from '../../../apps/edge/public-reads/answer-pace.ts';
import { listening } from '../../support/listening.ts';
import { until } from '../../support/until.ts';

const mebibyte = 1024 * 1024;
/** More than the kernels between a client and us take at once. */
const answer = Buffer.alloc(64 * mebibyte, ' ');

/** Sends the answer to whoever asks, all from the same time on; `/ahead` is answered once it is told to. */
async function startServer(t: ExecutionContext, pace: AnswerPace, ahead?: Promise<void>) {
  const { port } = await listening(t, async ({ url }, response) => {
    if (url === '/ahead') {
      await ahead;
      response.end('ahead');
      return;
    }
    pace.watch(response, 0);
    sendBody(response, 200, answer);
  });
  return port;
}

/** Takes so much of the answer, and no more for now. */
async function taker(t: ExecutionContext, port: number, bytes: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  let taken = 0;
  socket.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    if (taken >= bytes) socket.pause();
  });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => taken >= bytes);
  const ended = once(socket, 'close');
  const rest = async () => {
    // Of data events there is one more that ends nothing.
    socket.removeAllListeners('data').on('data', (chunk: Buffer) => (taken += chunk.length));
    socket.resume();
    await until(() => taken >= answer.length || socket.destroyed);
    return taken >= answer.length;
  };
  return { ended, rest };
}

test('who takes less of an answer than its pace is cut off, and who was quick may rest', async (t) => {
  let drips = 0;
  const pace = new AnswerPace(mebibyte, () => (drips += 1));
  const port = await startServer(t, pace);
  const [slow, quick] = [await taker(t, port, 1), await taker(t, port, 40 * mebibyte)];

  // What is owed begins after ten seconds.
  pace.endDrips(10_000);
  t.is(drips, 0);
  pace.endDrips(10_000 + 40_000);
  t.is(drips, 1);
  t.false(await slow.rest());
  await slow.ended;
  t.true(await quick.rest());
  pace.endDrips(1_000_000);
  t.is(drips, 1, 'it has all of it');
});

/** Both requests are here, and the answer waits behind the one ahead. */
async function waiting(t: ExecutionContext) {
  let drips = 0;
  const pace = new AnswerPace(mebibyte, () => (drips += 1));
  const ahead = Promise.withResolvers<void>();
  const watched = Promise.withResolvers<void>();
  const watch = pace.watch.bind(pace);
  pace.watch = (...given) => {
    watch(...given);
    watched.resolve();
  };
  const socket = connect(await startServer(t, pace, ahead.promise), '127.0.0.1');
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  socket.write(get('/ahead') + get('/'));
  await watched.promise;
  return { pace, ahead, socket, drips: () => drips };
}

// Its connection was cut, and with it went the answer to the request ahead.
test('an answer that waits for its turn is not behind, and owes nothing of before', async (t) => {
  const { pace, ahead, socket, drips } = await waiting(t);
  pace.endDrips(60_000);
  ahead.resolve();
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  t.regex(first.toString('latin1'), /ahead/);

  pace.endDrips(70_000);
  t.is(drips(), 0);
  pace.endDrips(70_000 + 65_000);
  t.is(drips(), 1, 'it is to be taken from then on');
});

test('an answer waits for its turn no longer than a minute', async (t) => {
  const { pace, drips } = await waiting(t);

  pace.endDrips(60_000);
  t.is(drips(), 0);
  pace.endDrips(60_001);
  t.is(drips(), 1);
});
