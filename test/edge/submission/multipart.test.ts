import test from 'ava';
import { firstIssue, startFramework } from '../../support/framework.ts';
import { fileBytesMax, submissionEndpoint } from '../../support/submission-endpoint.ts';

const upload = submissionEndpoint();

const part = (name: string, content: string, more = '') =>
  `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
const end = '--B--\r\n';
const fileName = '; filename="agent.py"';
const good = part('agent_name', 'shopper') + part('file', 'x = 1', fileName);
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => part(`p${index}`, 'x')).join('');

const send = (port: number, body: string, type = 'multipart/form-data; boundary=B') =>
  fetch(`http://127.0.0.1:${port}/upload`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });

const accepted: readonly (readonly [title: string, body: string])[] = [
  ['in order', good + end],
  ['after a part without a name', `--B\r\n\r\nx\r\n${good}${end}`],
  [
    'among fields that mean nothing',
    part('__proto__', 'x') + part('constructor', 'x') + good + end,
  ],
  [
    'with a file that names a way',
    part('agent_name', 'shopper') + part('file', 'x = 1', '; filename="../../etc/passwd"') + end,
  ],
  ['with a file that has no name', part('agent_name', 'shopper') + part('file', 'x = 1') + end],
  ['beside a long field', part('other', 'x'.repeat(100_000)) + good + end],
  ['beside a file that nobody asked for', good + part('readme', 'x'.repeat(5000), fileName) + end],
  ['beside a field with a long name', part('n'.repeat(2000), 'x') + good + end],
  ['after 998 others', many(998) + good + end],
  ['before 998 others', good + many(998) + end],
  ['with more behind its end', `${good}${end}${'x'.repeat(100_000)}`],
];
for (const [title, body] of accepted) {
  test(`two parts are read ${title}`, async (t) => {
    await using edge = await startFramework([upload]);
    const answer = await send(edge.port, body);
    t.deepEqual(await answer.json(), { name: 'shopper', file: 'x = 1' });
  });
}

const refused: readonly (readonly [title: string, body: string, loc: readonly string[]])[] = [
  ['no end', good, ['body']],
  ['nothing', '', ['body']],
  ['an end alone', end, ['body', 'agent_name']],
  ['no name', part('file', 'x') + end, ['body', 'agent_name']],
  ['no file', part('agent_name', 'x') + end, ['body', 'file']],
  ['two names', part('agent_name', 'other') + good + end, ['body', 'agent_name']],
  ['two files', good + part('file', 'y = 2', fileName) + end, ['body', 'file']],
  ['a thousand parts before', many(1000) + good + end, ['body']],
  ['a thousand parts behind', good + many(1000) + end, ['body']],
  ['bytes that are no parts', 'hello '.repeat(1000), ['body']],
  [
    'a name that ends in a NUL',
    part('agent_name%00', 'x') + part('file', 'x') + end,
    ['body', 'agent_name'],
  ],
];
for (const [title, body, loc] of refused) {
  test(`a form with ${title} is 422`, async (t) => {
    await using edge = await startFramework([upload]);
    const answer = await send(edge.port, body);
    t.is(answer.status, 422);
    t.deepEqual((await firstIssue(answer))?.loc, loc);
    t.is((await send(edge.port, good + end)).status, 200);
    t.is(edge.reported.length, 0);
  });
}

test('a boundary must be there and be one', async (t) => {
  await using edge = await startFramework([upload]);
  t.is((await send(edge.port, good + end, 'multipart/form-data')).status, 415);
  t.is((await send(edge.port, good + end, 'application/x-www-form-urlencoded')).status, 415);
  for (const boundary of ['', 'a'.repeat(5000)]) {
    const type = `multipart/form-data; boundary=${boundary}`;
    t.is((await send(edge.port, good + end, type)).status, 422);
  }
});

test('parts without a meaning may be as long as a body, and no longer', async (t) => {
  await using edge = await startFramework([upload]);
  const mebibyte = 1_048_576;
  const form = (bytes: number) => part('other', 'x'.repeat(bytes)) + good + end;
  const announced = (bytes: number) => send(edge.port, form(bytes));
  // Without a length nobody knows before how long it gets.
  const streamed = (bytes: number) =>
    fetch(`http://127.0.0.1:${edge.port}/upload`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
      body: new Blob([form(bytes)]).stream(),
      duplex: 'half',
    });
  for (const sent of [announced, streamed]) {
    t.is((await sent(mebibyte)).status, 200, sent.name);
    t.is((await sent(2 * mebibyte)).status, 413, sent.name);
  }
});

test('the file has its limit to the byte', async (t) => {
  await using edge = await startFramework([upload]);
  const form = (bytes: number) =>
    part('agent_name', 'x') + part('file', 'y'.repeat(bytes), fileName) + end;
  t.is((await send(edge.port, form(fileBytesMax))).status, 200);
  t.is((await send(edge.port, form(fileBytesMax + 1))).status, 413);
});
