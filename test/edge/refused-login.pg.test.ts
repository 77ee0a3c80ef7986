import test, { type ExecutionContext } from 'ava';
import type { Logger } from '../../infra/ports/log.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { type LoginKind, logins } from '../../infra/postgres/logins.ts';
import { startTestService } from '../support/edge.ts';
import { mortalDatabase } from '../support/mortal-database.ts';
import { silentLogger } from '../support/silent-telemetry.ts';
import { until } from '../support/until.ts';

/** A server of its own, since logins belong to the whole server. */
async function openService(t: ExecutionContext) {
  const { url } = await mortalDatabase(t);
  const sql = createSql({ url, applicationName: 'owner', max: 2 });
  t.teardown(() => closeSql(sql));
  const said: { message: string; text: string }[] = [];
  const say = (message: string, fields: { error?: unknown } = {}) =>
    void said.push({ message, text: String(fields.error) });
  const log: Logger = { ...silentLogger, warn: say, error: say, with: () => log };
  const service = await startTestService({ database: { url, sql }, log });
  t.teardown(() => service.stop());
  return { service, sql, said };
}

/** As a password that was changed: whoever has a connection keeps it, and gets no other. */
async function refuse(sql: Sql, kind: LoginKind): Promise<void> {
  await sql.unsafe(`alter role ${logins[kind]} nologin`);
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where usename = ${logins[kind]}`;
}

async function codeOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { error_code?: string }).error_code ?? `${answer.status}`;
}

const letIn = (sql: Sql, kind: LoginKind) => sql.unsafe(`alter role ${logins[kind]} login`);

test('an edge whose login is refused answers as without its database, and says why', async (t) => {
  const { service, sql, said } = await openService(t);
  await refuse(sql, 'edge');

  // The first ones may meet a connection that is being ended.
  for (let count = 0; count < 5; count++) {
    const read = await service.call('GET', '/v1/public/leaderboard');
    t.is(await codeOf(read), 'STORE_UNAVAILABLE');
  }
  // On a busy machine a probe may be out of time before the server has refused it.
  await until(async () => {
    const deep = await service.call('GET', '/health/deep');
    t.is(deep.status, 503);
    return /"the database refuses the login of this process"/.test(await deep.text());
  });
  const lines = said.filter(({ message }) => message === 'a request failed');
  t.true(lines.some(({ text }) => text.includes('paddock_edge_login')));

  await letIn(sql, 'edge');
  await until(async () => (await service.call('GET', '/health/deep')).status === 200);
});

test('coordinators whose login is refused wait, say so, and go on once they are let in', async (t) => {
  const { service, sql, said } = await openService(t);
  await refuse(sql, 'coordinator');

  const { hotkey } = service.stranger('banned');
  for (let count = 0; count < 5; count++) {
    const path = `/v1/admin/hotkeys/${hotkey}/ban`;
    const order = await service.operator('PUT', path, { body: { reason: 'test' } });
    t.regex(await codeOf(order), /^(STORE_UNAVAILABLE|OWNER_UNAVAILABLE|OUTCOME_UNKNOWN)$/);
  }
  await until(async () => said.some(({ text }) => text.includes('paddock_coordinator_login')));
  await letIn(sql, 'coordinator');
  await until(async () => (await service.call('GET', '/health/deep')).status === 200);
});
