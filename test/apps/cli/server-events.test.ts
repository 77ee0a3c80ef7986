import test from 'ava';
import { serverEvents } from '../../../apps/cli/client/server-events.ts';

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('an id counts once its event was taken, and where a stream begins is one too', async (t) => {
  const heard: string[] = [];
  const taken: string[] = [];
  const stream = chunks('retry: 1\nid: 3\n\n', 'id: 4\ndata: four\n\nid: 5\ndata: five\n\n');
  for await (const { data } of serverEvents(stream, (id) => heard.push(id))) {
    taken.push(`${data} after ${heard.join()}`);
  }

  t.deepEqual(taken, ['four after 3', 'five after 3,4']);
  t.deepEqual(heard, ['3', '4', '5']);
});

test('a heartbeat is no event', async (t) => {
  const stream = chunks('id: 3\n\nevent: heartbeat\ndata: {}\n\n', 'id: 4\ndata: four\n\n');
  const taken: string[] = [];
  for await (const { data } of serverEvents(stream)) taken.push(data);

  t.deepEqual(taken, ['four']);
});

test('a letter that is cut in two by the line is one letter all the same', async (t) => {
  const bytes = Buffer.from('id: 1\ndata: Zürich 🐎\n\n');
  async function* byteByByte() {
    for (const byte of bytes) yield Uint8Array.of(byte);
  }
  const taken: string[] = [];
  for await (const { data } of serverEvents(byteByByte())) taken.push(data);

  t.deepEqual(taken, ['Zürich 🐎']);
});

test('lines may end as in HTTP, too, wherever they are cut', async (t) => {
  const text = 'id: 1\r\nevent: race\r\ndata: one\r\n\r\nid: 2\r\ndata: two\r\n\r\n';
  const taken: string[] = [];
  for await (const { id, event, data } of serverEvents(chunks(...text))) {
    taken.push(`${id} ${event} ${data}`);
  }

  t.deepEqual(taken, ['1 race one', '2 message two']);
});
