import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { listening } from '../../support/listening.ts';
import { paddockUser } from '../../support/paddock-command.ts';

/** A user of a service that answers as told, with a file of an agent. */
async function userOf(t: ExecutionContext, answer: RequestListener) {
  const { server, origin: url } = await listening(t, answer);
  const user = await paddockUser(t, { url });
  await writeFile(join(user.folder, 'agent.py'), 'def agent_main(task):\n    return 1\n');
  return { user, server };
}

/** Ctrl-C once the service has the request, which it never answers. */
async function interrupted(t: ExecutionContext, ...args: readonly string[]) {
  const { user, server } = await userOf(t, (request) => request.resume());
  const child = user.start([...args, '--token', 'x']);
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
  await once(server, 'request');
  child.kill('SIGINT');
  const [[code], error] = await ended;
  return { code, error };
}

test('Ctrl-C during a submission says how to repeat it', async (t) => {
  const order = ['submit', 'agent.py', '--name', 'a', '--idempotency-key', 'mine'];
  const { code, error } = await interrupted(t, ...order);

  t.is(code, 130, error);
  t.is(
    error,
    'paddock: interrupted; whether it took effect is not known\n' +
      'Repeated with --idempotency-key mine it is carried out once and no more.\n',
  );
});

/** What is said of a ban that the service answers so, to people or to programs. */
async function banned(
  t: ExecutionContext,
  [status, code]: readonly [number, string],
  ...options: readonly string[]
) {
  const { user } = await userOf(t, (request, response) => {
    request.resume();
    const headers = { 'content-type': 'application/json', 'x-request-id': 'ab12' };
    response.writeHead(status, { ...headers, 'retry-after': '60' });
    response.end(JSON.stringify({ error_code: code, detail: 'Said of it.' }));
  });
  const order = ['operator', 'ban', '5Grw', '--reason', 'why', '--token', 'x'];
  return await user.run(...order, '--idempotency-key', 'mine', ...options);
}

test('a program is told of an open order by what it may repeat it', async (t) => {
  const { code, error } = await banned(t, [500, 'INTERNAL_ERROR'], '--json');

  t.is(code, 5, error);
  t.like(JSON.parse(error).error, {
    ...{ code: 'INTERNAL_ERROR', exit_code: 5, status: 500, request_id: 'ab12' },
    ...{ retry_after_seconds: 60, idempotency_key: 'mine' },
    answer: { error_code: 'INTERNAL_ERROR', detail: 'Said of it.' },
  });
});

test('a program is told of what is not open without a key', async (t) => {
  const { error } = await banned(t, [422, 'VALIDATION_FAILED'], '--json');

  t.like(JSON.parse(error).error, { code: 'VALIDATION_FAILED', idempotency_key: null });
});

test('a person is told by which id the operators find a request that failed', async (t) => {
  const { code, error } = await banned(t, [500, 'INTERNAL_ERROR']);

  t.is(code, 5, error);
  t.is(
    error,
    'paddock: Said of it; whether it took effect is not known\n' +
      'Try again in 1 min.\n' +
      'Look with paddock operator audit-log whether it took effect.\n' +
      'Repeated with --idempotency-key mine it is carried out once and no more.\n' +
      'Its X-Request-Id: ab12\n',
  );
  const refused = await banned(t, [422, 'VALIDATION_FAILED']);
  t.notRegex(refused.error, /ab12/);
});

test('Ctrl-C during any other request is no defect of the line', async (t) => {
  const { code, error } = await interrupted(t, 'check', 'agent.py', '--online');

  t.is(code, 130, error);
  t.is(error, 'paddock: interrupted\n');
});

/** What is said of a file whose store answers so. */
async function downloaded(t: ExecutionContext, store: (response: ServerResponse) => void) {
  const { user } = await userOf(t, (request, response) => {
    if (request.method !== 'POST') return store(response);
    response.setHeader('content-type', 'application/json');
    const download_url = `http://${request.headers.host}/file`;
    response.end(JSON.stringify({ download_url }));
  });
  return { ...(await user.run('download', '--run', 'x')), files: await readdir(user.folder) };
}

test('logs that their validator wrote as a page are saved', async (t) => {
  const { code, error, files } = await downloaded(t, (response) => {
    const headers = { 'content-type': 'text/html', etag: '"9a0364b9e99bb480dd25e1f0284c8555"' };
    response.writeHead(200, headers).end('<h1>A report');
  });

  t.is(code, 0, error);
  t.true(files.includes('logs-x.gz'));
});

for (const [says, store] of [
  [
    'the store broke off',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('part', () => response.destroy());
    },
  ],
  [
    'something in the place of the store answered with a page',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Sign in');
    },
  ],
] as const) {
  test(`a file is not saved and may be had later where ${says}`, async (t) => {
    const { code, error, files } = await downloaded(t, store);

    t.is(code, 5, error);
    t.is(error, `paddock: the file cannot be fetched: ${says}\nTry again in a moment.\n`);
    t.false(files.includes('logs-x.gz'));
  });
}

test('code that is not what the service published is not saved', async (t) => {
  const id = '019a0000-0000-7000-8000-000000000001';
  const code = 'print(1)\n';
  const { user } = await userOf(t, (request, response) => {
    if (request.url === '/file') return void response.end(code);
    response.setHeader('content-type', 'application/json');
    const download_url = `http://${request.headers.host}/file`;
    const other = createHash('sha256').update('print(2)\n').digest('hex');
    response.end(JSON.stringify({ download_url, code_sha256: other }));
  });
  const { code: exit, out, error } = await user.run('download', id);

  t.is(exit, 1, out);
  t.regex(error, /^paddock: the file is damaged: its SHA-256 is [0-9a-f]{64}, and should be /);
  t.false((await readdir(user.folder)).includes(`${id}.py`));
});

test('the logs of one problem are not put in the place of those of another', async (t) => {
  const { user } = await userOf(t, (request, response) => {
    if (request.url === '/file') return void response.end('logs');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ download_url: `http://${request.headers.host}/file` }));
  });
  for (const problem of ['p', 'q']) {
    const { code, error } = await user.run('download', '--run', 'x', '--problem', problem);
    t.is(code, 0, error);
  }
  const files = await readdir(user.folder);
  t.deepEqual(files.filter((name) => name.startsWith('logs-')).toSorted(), [
    'logs-p.gz',
    'logs-q.gz',
  ]);
});

// The second try was turned away before anybody looked for the first.
test('a submission whose first answer was lost is open, also where the next one was refused', async (t) => {
  let asked = 0;
  const { user } = await userOf(t, (request, response) => {
    asked += 1;
    request.resume();
    if (asked === 1) return void request.socket.destroy();
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '30' });
    response.end(JSON.stringify({ error_code: 'OVERLOADED', detail: 'Too busy.' }));
  });
  const order = ['submit', 'agent.py', '--name', 'a', '--idempotency-key', 'mine', '--token', 'x'];
  const { code, error } = await user.run(...order);

  t.is(code, 5, error);
  t.true(asked > 1);
  t.regex(error, /whether it took effect is not known\n/);
  t.regex(error, /Repeated with --idempotency-key mine it is carried out once and no more\.\n$/);
});
