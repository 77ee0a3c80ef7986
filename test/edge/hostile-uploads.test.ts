import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import test from 'ava';
import { startFramework } from '../support/framework.ts';
import { fileBytesMax, submissionEndpoint } from '../support/submission-endpoint.ts';

/** What came through whole, as a handler would store it. */
const stored: string[] = [];

const submission = submissionEndpoint((name) => stored.push(name));

type Edge = Awaited<ReturnType<typeof startFramework>>;
let edge: Edge;
test.before(async () => {
  edge = await startFramework([submission], { budgetMs: { submission: 5_000 } });
});
test.after.always(() => edge?.drain());

/** Sockets that this process holds: clients, connections and listeners. */
function openSockets(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

/** One request on a connection of its own; `cutAt` resets it after so many bytes. */
async function sent(head: string, body: string, cutAt?: number): Promise<string> {
  const socket = connect(edge.port, '127.0.0.1');
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  const ended = new Promise((resolve) => socket.once('close', resolve));
  const bytes = Buffer.from(`${head}\r\n\r\n${body}`, 'latin1');
  if (cutAt === undefined) socket.write(bytes);
  else {
    const isOut = new Promise((resolve) => socket.write(bytes.subarray(0, cutAt), resolve));
    await isOut;
    socket.resetAndDestroy();
  }
  await ended;
  return text;
}

const headFor = (length: number, type = 'multipart/form-data; boundary=b') =>
  [
    'POST /upload HTTP/1.1',
    'Host: x',
    'Connection: close',
    `Content-Length: ${length}`,
    `Content-Type: ${type}`,
  ].join('\r\n');

const upload = (body: string, type?: string) => sent(headFor(body.length, type), body);

const named = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`;
const part = (headers: string, value: string) => `--b\r\n${headers}\r\n\r\n${value}\r\n`;
const name = part(named('agent_name'), 'mine');
const file = (value = 'x = 1\n') =>
  part(`${named('file', '; filename="a.py"')}\r\nContent-Type: text/x-python`, value);
const end = '--b--\r\n';

const good = `${name}${file()}${end}`;

/** Everything that was taken for a request is back where it was. */
async function isAllGivenBack(before: number): Promise<void> {
  await edge.until(() => edge.inFlight() === 0 && openSockets() <= before);
}

const refused: readonly (readonly [title: string, body: string, status: number, type?: string])[] =
  [
    ['nothing', '', 422],
    ['no multipart at all', 'hello', 422],
    ['no boundary', good, 415, 'multipart/form-data'],
    ['an empty boundary', good, 422, 'multipart/form-data; boundary='],
    ['another boundary', good, 422, 'multipart/form-data; boundary=c'],
    [
      'a boundary of 1,000 characters',
      good,
      422,
      `multipart/form-data; boundary=${'b'.repeat(1_000)}`,
    ],
    ['another type', good, 415, 'application/x-www-form-urlencoded'],
    ['mixed parts', good, 415, 'multipart/mixed; boundary=b'],
    ['no end', `${name}${file()}`, 422],
    ['half an end', `${name}${file()}--b`, 422],
    ['an end without a beginning', end, 422],
    ['a part without a name', `${part('Content-Type: text/plain', 'x')}${name}${end}`, 422],
    ['a part with an empty name', `${part(named(''), 'x')}${file()}${end}`, 422],
    ['no file', `${name}${end}`, 422],
    ['no name', `${file()}${end}`, 422],
    ['two files', `${name}${file()}${file()}${end}`, 422],
    ['two names', `${name}${name}${file()}${end}`, 422],
    ['a thousand files', `${name}${file('').repeat(1_000)}${end}`, 422],
    ['a hundred files', `${name}${file('').repeat(100)}${end}`, 422],
    ['two thousand fields', `${part(named('a'), 'b').repeat(2_000)}${good}`, 422],
    ['a hundred names', `${name.repeat(100)}${file()}${end}`, 422],
    ['a file that is too large', `${name}${file('x'.repeat(fileBytesMax + 1))}${end}`, 413],
    [
      'a name that is too long',
      `${part(named('agent_name'), 'x'.repeat(2_000))}${file()}${end}`,
      400,
    ],
    ['headers of a part without end', `--b\r\n${`X-A: ${'b'.repeat(90)}\r\n`.repeat(300)}`, 422],
    [
      'parts within a part',
      `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n${named('agent_name')}\r\n\r\n--c\r\n${named('file')}\r\n\r\nx\r\n--c--\r\n${end}`,
      422,
    ],
    ['line feeds alone', good.replaceAll('\r\n', '\n'), 422],
  ];

for (const [title, body, status, type] of refused) {
  test.serial(`an upload with ${title}: ${status}, and nothing is kept of it`, async (t) => {
    const before = openSockets();
    stored.length = 0;
    const answer = await upload(body, type);
    t.regex(answer, new RegExp(`^HTTP/1\\.1 ${status} `), String(edge.reported.at(-1)));
    t.regex(answer, /\r\n\r\n\{"detail":/);
    await isAllGivenBack(before);
    t.deepEqual(stored, []);
    t.deepEqual(edge.reported, []);
  });
}

test.serial('an upload that could not be small enough is refused before it is sent', async (t) => {
  const answer = await sent(headFor(500_000_000), name);
  t.regex(answer, /^HTTP\/1\.1 413 [\s\S]*FILE_TOO_LARGE/);
});

const taken: readonly (readonly [title: string, body: string, type?: string])[] = [
  ['as clients send it', good],
  ['in the other order', `${file()}${name}${end}`],
  ['with words around it', `hello\r\n${good}bye`],
  ['with a quoted boundary', good, 'multipart/form-data; boundary="b"'],
  [
    'with a file name that climbs',
    `${name}${part(named('file', '; filename="../../etc/passwd"'), 'x = 1\n')}${end}`,
  ],
  [
    'with a file name of NULs',
    `${name}${part(named('file', '; filename="a\0.py"'), 'x = 1\n')}${end}`,
  ],
  ['without a file name', `${name}${part(named('file'), 'x = 1\n')}${end}`],
  [
    'with another charset',
    `${name}${part(`${named('file')}\r\nContent-Type: text/x-python; charset=utf-7`, 'x = 1\n')}${end}`,
  ],
  ['with fields that mean nothing', `${part(named('__proto__'), 'x')}${good}`],
];

for (const [title, body, type] of taken) {
  test.serial(`an upload ${title} is the same upload`, async (t) => {
    const before = openSockets();
    t.regex(
      await upload(body, type),
      /^HTTP\/1\.1 200 [\s\S]*\{"name":"mine","file":"x = 1\\n"\}$/,
    );
    await isAllGivenBack(before);
  });
}

test.serial('a transfer encoding hides no part in base64', async (t) => {
  const encoded = part(`${named('file')}\r\nContent-Transfer-Encoding: base64`, 'eCA9IDEK');
  const answer = await upload(`${name}${encoded}${end}`);
  // The bytes are the file.
  t.regex(answer, /\{"name":"mine","file":"eCA9IDEK"\}$/);
});

test.serial('an upload that is reset anywhere leaves nothing behind', async (t) => {
  const before = openSockets();
  stored.length = 0;
  const head = headFor(good.length);
  const whole = head.length + 4 + good.length;
  for (let cut = 1; cut < whole; cut += 7) await sent(head, good, cut);
  await isAllGivenBack(before);
  t.deepEqual(stored, []);
  t.deepEqual(edge.reported, []);
  // Two may be under way for a key: all places are free again.
  const two = await Promise.all([upload(good), upload(good)]);
  for (const answer of two) t.regex(answer, /^HTTP\/1\.1 200 /);
});

test.serial('an upload that ends anywhere is refused, and leaves nothing behind', async (t) => {
  const before = openSockets();
  stored.length = 0;
  for (let cut = 0; cut < good.length - 4; cut += 5) {
    const answer = await upload(good.slice(0, cut));
    t.regex(answer, /^HTTP\/1\.1 422 /, good.slice(0, cut));
  }
  await isAllGivenBack(before);
  t.deepEqual(stored, []);
});
