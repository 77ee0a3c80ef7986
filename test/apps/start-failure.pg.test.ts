import { createServer } from 'node:net';
import test from 'ava';
import { startFailureText } from '../../apps/start-failure.ts';
import { readConfig } from '../../infra/config/config.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { testDatabase } from '../support/cluster.ts';

const failureOf = async (start: () => unknown): Promise<string> => {
  try {
    await start();
  } catch (error) {
    return startFailureText(error);
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
  t.is(text, `another process listens at port ${port} already`);
});

test('what the database refuses is one sentence', async (t) => {
  const { url } = await testDatabase(t);
  const sql = createSql({ url: url.replace(/[^/]*$/, 'nowhere'), applicationName: 'edge', max: 1 });
  t.teardown(() => closeSql(sql));
  t.is(await failureOf(() => sql`select 1`), 'the database: database "nowhere" does not exist');
});

test('what nobody expected has its stack, and says in the last line what it was', async (t) => {
  const text = await failureOf(() => {
    throw new TypeError('x is no function');
  });
  t.regex(text, /^TypeError: x is no function\n {4}at /);
  t.is(text.split('\n').at(-1), 'could not start: x is no function');
});
