import test from 'ava';
import { startTraceIds } from '../../../infra/otel/trace-ids.ts';
import type { LogFields, LogLevel } from '../../../infra/ports/log.ts';
import { createLogger } from '../../../infra/telemetry/log.ts';
import { createTelemetry } from '../../../infra/telemetry/telemetry.ts';

startTraceIds();

function logged(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLogger({ name: 'edge-1', level, write, nowMs: () => 0 });
  const entries = () => lines.map((line): Record<string, unknown> => JSON.parse(line));
  return { log, lines, entries };
}

test('a line is one JSON object with time, level, process and message', (t) => {
  const { log, lines, entries } = logged();
  log.info('listening', { port: 8080 });
  t.true(lines[0]?.endsWith('}\n'));
  t.deepEqual(entries(), [
    {
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      process: 'edge-1',
      message: 'listening',
      port: 8080,
    },
  ]);
});

test('lines below the level are not written', (t) => {
  const { log, entries } = logged('warn');
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.with({ part: 3 }).error('d');
  t.deepEqual(
    entries().map(({ message }) => message),
    ['c', 'd'],
  );
  t.is(entries()[1]?.['part'], 3);
});

test('a line inside a trace names it, and a field cannot pretend to', async (t) => {
  const { log, entries } = logged();
  await createTelemetry().span('work', {}, async () => {
    // No caller of ours can: a cast stands for what comes from elsewhere.
    log.info('inside', { trace_id: 'forged', level: 'debug' } as LogFields);
  });
  t.regex(String(entries()[0]?.['trace_id']), /^[0-9a-f]{32}$/);
  t.is(entries()[0]?.['level'], 'info');
});

test('a field that the head of a line would overwrite is refused by its type', (t) => {
  const { log, entries } = logged();
  // @ts-expect-error A message's id, which no reader would ever see.
  log.warn('set aside', { message: 'EVT:7' });
  // @ts-expect-error The same of a field that every line carries.
  log.with({ process: 'edge-2' }).warn('set aside', { msg_id: 'EVT:7' });
  const told = entries().map((entry) => [entry['message'], entry['process'], entry['msg_id']]);
  t.deepEqual(told, [
    ['set aside', 'edge-1', undefined],
    ['set aside', 'edge-1', 'EVT:7'],
  ]);
});

test('a line within another’s trace names that one, and within none names none', async (t) => {
  const { log, entries } = logged();
  const telemetry = createTelemetry();
  const traceparent = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;
  await telemetry.span('work', {}, async () => {
    await telemetry.inTrace({ traceparent, 'x-msg-id': 'm' }, async () => {
      await Promise.resolve();
      log.info('of a message');
    });
    telemetry.inTrace({}, () => log.info('of nobody'));
    log.info('of the work');
  });
  const [ofMessage, ofNobody, ofWork] = entries().map((entry) => entry['trace_id']);
  t.is(ofMessage, 'c'.repeat(32));
  t.is(ofNobody, undefined);
  t.regex(String(ofWork), /^[0-9a-f]{32}$/);
  t.not(ofWork, ofMessage);
});

test('fields that look secret are never written, however deep', (t) => {
  const { log, lines } = logged();
  const secrets = {
    token: 'hush-1',
    Authorization: 'hush-2',
    signature: ['hush-3'],
    credentialKeys: [{ id: 'k', key: 'hush-4' }],
    client_secret: 5005005,
    Password: { old: 'hush-5' },
    'set-cookie': 'hush-6',
    apiKey: 'hush-7',
    operatorTokens: 'hush-8',
  };
  log.info('configured', { deep: [{ config: secrets }], ...secrets });
  t.false(/hush|5005005/.test(lines.join('')));
  log.info('claimed', { hasToken: true, sessionToken: null });
  t.regex(lines[1] ?? '', /"hasToken":true,"sessionToken":null/);
});

test('how many tokens a model used is no secret', (t) => {
  const { log, entries } = logged();
  log.info('used', { usage: { promptTokens: 1234, completionTokens: '567' } });
  t.deepEqual(entries()[0]?.['usage'], { promptTokens: 1234, completionTokens: '[redacted]' });
});

test('secrets inside texts are cut out', (t) => {
  const { log, lines } = logged();
  log.warn('cannot reach postgres://paddock:hush@db:5432/paddock', {
    request: 'Authorization: Bearer hush.hush',
    session: `ses_${'0'.repeat(64)}`,
    run: `run ends with inf_${'0'.repeat(64)}`,
    webhook: `whsec_${'0'.repeat(42)}/+==`,
    url: 'http://127.0.0.1:9000/b/k?X-Amz-Signature=hush&X-Amz-Expires=900',
    error: new Error('redis://user:hush@host said no'),
  });
  t.false(/hush|0{42}|\/\+==/.test(lines.join('')));
  t.regex(lines[0] ?? '', /X-Amz-Expires=900/);
});

test('an error is written with its causes and without what drivers hang on it', (t) => {
  const { log, entries } = logged();
  const cause = Object.assign(new Error('connection lost'), {
    code: 'ECONNRESET',
    parameters: ['private'],
  });
  log.error('commit failed', { error: new Error('batch 7', { cause }) });
  const error = entries()[0]?.['error'] as { cause: Record<string, unknown>; message: string };
  t.is(error.message, 'batch 7');
  t.deepEqual(
    [error.cause['message'], error.cause['code'], error.cause['parameters']],
    ['connection lost', 'ECONNRESET', undefined],
  );
});

test('any value can be written, cyclic ones too', (t) => {
  const { log, entries } = logged();
  const cyclic: Record<string, unknown> = { stake: 10n, bytes: new Uint8Array(3) };
  cyclic['self'] = cyclic;
  log.info('odd', { cyclic, when: new Date(0), bad: new Date(Number.NaN), many: new Set([1, 2]) });
  log.info('long', { text: 'x'.repeat(10_000), list: Array.from({ length: 300 }, () => 1) });
  const first = entries()[0] ?? {};
  t.like(first['cyclic'], { stake: '10', bytes: '[3 bytes]' });
  t.like(first, { when: '1970-01-01T00:00:00.000Z', bad: null, many: [1, 2] });
  t.true(JSON.stringify(entries()[1]).length < 5000);
});
