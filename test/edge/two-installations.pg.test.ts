import test from 'ava';
import { loginUrl } from '../../infra/postgres/logins.ts';
import { testDatabase } from '../support/cluster.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { until } from '../support/until.ts';

let service: TestService;

test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service.stop());

/** As a copy of the file of settings in which another database was written, and the broker was not. */
async function staging(kind: 'coordinator' | 'edge') {
  const { url, sql } = await testDatabase();
  return { sql, env: { DATABASE_URL: loginUrl(url, kind) } };
}

test('a coordinator does not start on the broker of another database, nor does it the next time', async (t) => {
  const { env } = await staging('coordinator');
  for (let time = 0; time < 2; time++) {
    const error = await t.throwsAsync(async () => {
      await using _ = await service.openCoordinator(env);
    });
    t.is(error.name, 'OtherInstallation');
    t.regex(
      error.message,
      /belongs to another database .*another broker.*empty the broker's store/,
    );
  }
});

test('one of the same database does', async (t) => {
  await using coordinator = await service.openCoordinator();
  t.truthy(coordinator);
});

test('an edge of another database orders nothing here, and says why it is not ready', async (t) => {
  const { env } = await staging('edge');
  await using edge = await service.openEdge(env);
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${edge.port}${path}`, init);
  const { hotkey } = await service.miner('somebody');

  const answer = await call(`/v1/admin/hotkeys/${hotkey}/ban`, {
    method: 'PUT',
    body: JSON.stringify({ reason: 'a rehearsal' }),
    headers: {
      authorization: `Bearer ${service.operatorToken}`,
      'content-type': 'application/json',
    },
  });

  t.is(answer.status, 503);
  t.is(((await answer.json()) as { error_code: string }).error_code, 'OWNER_UNAVAILABLE');
  const bans = await service.sql`select from audit_log where action like '%ban%'`;
  t.is(bans.length, 0);
  await until(async () => {
    const deep = await call('/health/deep');
    t.is(deep.status, 503);
    return /"the broker is that of another installation"/.test(await deep.text());
  });
});
