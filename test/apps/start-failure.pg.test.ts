import { createServer } from 'node:net';
import test from 'ava';
import { endText } from '../../apps/start-failure.ts';
import { readConfig } from '../../infra/config/config.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { testDatabase } from '../support/cluster.ts';

const failureOf = async (start: () => unknown): Promise<string> => {
  try {
    await start();
  } catch (error) {
    return endText(error);
  }
  throw new Error('it started');
};

test('a setting is named without a stack', async (t) => {
  const text = await failureOf(() => readConfig({ PORT: 'x' }, { process: 'edge' }));
  t.regex(text, /PORT/);
  t.notRegex(text, /\n {4}at /);
});

test('a port that is taken is named', async (t) => {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(Object(server.address()).port));
  });
  t.teardown(() => server.close());
  const second = createServer();
  const text = await failureOf(
    () =>
      new Promise((_, reject) => {
        second.on('error', reject).listen(port, '127.0.0.1');
      }),
  );
  t.is(text, `EADDRINUSE: another process listens at port ${port} already`);
});

test('what the database refuses is one sentence', async (t) => {
  const { url } = await testDatabase(t);
  const sql = createSql({ url: url.replace(/[^/]*$/, 'nowhere'), applicationName: 'edge', max: 1 });
  t.teardown(() => closeSql(sql));
  t.is(await failureOf(() => sql`select 1`), 'the database: database "nowhere" does not exist');
});

test('what it says of a statement that is wrong keeps its stack', async (t) => {
  const { sql } = await testDatabase(t);
  const text = await failureOf(() => sql`select foo from miner`);
  t.regex(text, /^PostgresError: column "foo" does not exist\n {4}at /);
  t.is(text.split('\n').at(-1), 'could not start: column "foo" does not exist');
});

test('the last line says what it came of, and whether it had started', (t) => {
  const failed = new Error('migration 7 failed', { cause: new Error('no\n  room') });
  const lastOf = (error: unknown, wasReady: boolean) =>
    endText(error, { wasReady }).split('\n').at(-1);
  t.is(lastOf(failed, false), 'could not start: migration 7 failed: no room');
  t.is(
    lastOf(new AggregateError([failed]), true),
    'ended: AggregateError: migration 7 failed: no room',
  );
  const taken = Object.assign(new Error('x'), { syscall: 'listen', code: 'EADDRINUSE', port: 1 });
  t.is(lastOf(taken, true), 'ended: x');
});

test('what nobody expected has its stack, and says in the last line what it was', async (t) => {
  const text = await failureOf(() => {
    throw new TypeError('x is no function');
  });
  t.regex(text, /^TypeError: x is no function\n {4}at /);
  t.is(text.split('\n').at(-1), 'could not start: x is no function');
});
