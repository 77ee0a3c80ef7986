import test, { type ExecutionContext } from 'ava';
import { Callers } from '../../../apps/edge/auth/callers.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { testDatabase } from '../../support/cluster.ts';

const [left, alive] = ['a', 'b'].map((digit) => `ses_${digit.repeat(64)}`) as [string, string];

/** An edge that has just met both sessions, and that the database goes away from. */
async function edgeThatKnows(t: ExecutionContext) {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'edge', role: 'paddock_edge', max: 1 });
  t.teardown(() => closeSql(sql));
  const now = { ms: 0 };
  const clock = { monotonicMs: () => now.ms, sleep: async () => undefined };
  const callers = new Callers(sql, clock);
  const hotkeyOf = async (token: string) =>
    (await callers.sessionInOutage(callers.hashOf(token)))?.hotkey;
  for (const token of [left, alive]) {
    await admin`
      insert into session (token_sha256, hotkey, role, created_at, expires_at)
      values (${callers.hashOf(token)}, 'alice', 'validator', rt.clock(),
        rt.clock() + interval '1 hour')`;
    t.is(await hotkeyOf(token), 'alice');
  }
  const logOut = async (token: string) => {
    await admin`delete from session where token_sha256 = ${callers.hashOf(token)}`;
    callers.forgetSession(token);
  };
  /** What was asked for half a second ago is no answer any more. */
  const loseTheDatabase = async () => {
    await closeSql(sql);
    now.ms += 1000;
  };
  return { now, hotkeyOf, logOut, loseTheDatabase };
}

test('in an outage sessions go on for a while, and those that were logged out here do not', async (t) => {
  const { now, hotkeyOf, logOut, loseTheDatabase } = await edgeThatKnows(t);
  await logOut(left);

  await loseTheDatabase();

  await t.throwsAsync(hotkeyOf(left), { message: /CONNECTION_ENDED/ });
  t.is(await hotkeyOf(alive), 'alice');
  now.ms += 9_000;
  t.is(await hotkeyOf(alive), 'alice');
  now.ms += 2_000;
  await t.throwsAsync(hotkeyOf(alive), { message: /CONNECTION_ENDED/ });
});
