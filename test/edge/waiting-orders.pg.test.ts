import test from 'ava';
import { startTestService } from '../support/edge.ts';
import { holdLock, takeAuditLog, waitForAuditLog } from '../support/held-lock.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

// More than a process has transactions at a time (infra/postgres/client.ts).
const ordersAtOnce = 12;

test('orders that wait for the log keep nobody from signing in, nor from a pin', async (t) => {
  const service = await startTestService({ env: { REQUEST_SECONDS: '30' } });
  t.teardown(() => service.stop());
  await openTrialSuite(service);
  const miner = await service.miner('signs in');
  const waiting = () => waitForAuditLog(service.sql);
  const bans = Array.from({ length: ordersAtOnce }, (_, index) => {
    return `/v1/admin/hotkeys/${service.stranger(`banned ${index}`).hotkey}/ban`;
  });
  let answered = 0;
  let orders: Promise<Response[]> | undefined;

  await holdLock(service.sql, takeAuditLog, async () => {
    orders = Promise.all(
      bans.map(async (path) => {
        const answer = await service.operator('PUT', path, { body: { reason: 'one of many' } });
        answered += 1;
        return answer;
      }),
    );
    await until(async () => (await waiting()) > 0);
    await okBody(await miner.exchange(await miner.challenge()));
    await okBody(await miner.request('DELETE', '/v1/miner/race-selection'));
    t.is(answered, 0, 'the orders were over before');
    t.is(await waiting(), 1);
  });

  for (const answer of (await orders) ?? []) t.like(await okBody(answer), { banned: true });
  const entries = await service.sql`select from audit_log where action = 'hotkey.ban'`;
  t.is(entries.length, ordersAtOnce);
});
