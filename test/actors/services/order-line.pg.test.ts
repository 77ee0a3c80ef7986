import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Fault } from '../../../machines/fault.ts';
import { holdLock, takeAuditLog, waitForAuditLog } from '../../support/held-lock.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { openOperatorDesk, packSha256 } from '../../support/operator-desk.ts';
import { until } from '../../support/until.ts';

type Desk = Awaited<ReturnType<typeof openOperatorDesk>>;

const untilOneWaits = ({ admin }: Desk) => until(async () => (await waitForAuditLog(admin)) > 0);
const ban = ({ service }: Desk, hotkey: string, command: ReturnType<Desk['command']>) =>
  service['ban-hotkey']({ hotkey, reason: 'cheats' }, command);
const auditOf = async ({ admin }: Desk) => {
  const rows = await admin<{ action: string; object: string }[]>`
    select action, object from audit_log order by seq`;
  return rows.map(({ action, object }) => `${action} ${object}`);
};

test('an order that comes again while it waits is one, and both hear the same', async (t) => {
  const desk = await openOperatorDesk(t);
  const [same, other] = [desk.command(), desk.command()];
  let answers: Promise<readonly object[]> | undefined;
  await holdLock(desk.admin, takeAuditLog, async () => {
    const asked = [ban(desk, 'alice', same), ban(desk, 'bob', other), ban(desk, 'alice', same)];
    answers = Promise.all(asked);
    await untilOneWaits(desk);
  });
  const [first, , again] = (await answers) ?? [];
  t.deepEqual(again, first);
  t.deepEqual(await auditOf(desk), ['hotkey.ban hotkey/alice', 'hotkey.ban hotkey/bob']);
  // Each message left once.
  t.is(new Set(desk.published.map(({ msgId }) => msgId)).size, desk.published.length);
});

test('an order that comes too late for its caller is not carried out', async (t) => {
  const clock = new ManualClock();
  const desk = await openOperatorDesk(t, clock);
  const waiting = (budgetMs: number, id = randomUUID()) => ({ ...desk.command(id), budgetMs });
  const asked = waiting(10_000);
  let outcomes: Promise<PromiseSettledResult<object>[]> | undefined;
  await holdLock(desk.admin, takeAuditLog, async () => {
    const orders = [
      ban(desk, 'first', waiting(10_000)),
      ban(desk, 'given up', waiting(10_000)),
      ban(desk, 'asked again', asked),
    ];
    outcomes = Promise.allSettled(orders);
    await untilOneWaits(desk);
    clock.standStill(9_000);
    void ban(desk, 'asked again', asked);
    clock.standStill(9_000);
  });
  const [first, givenUp, again] = (await outcomes) ?? [];
  t.is(first?.status, 'fulfilled');
  t.is(again?.status, 'fulfilled');
  const reason: unknown = givenUp?.status === 'rejected' ? givenUp.reason : undefined;
  t.is(reason instanceof Fault ? reason.code : reason, 'OVERLOADED');
  t.deepEqual(await auditOf(desk), ['hotkey.ban hotkey/first', 'hotkey.ban hotkey/asked again']);
});

test('what an order ends in is nothing to those behind it', async (t) => {
  const desk = await openOperatorDesk(t);
  const same = desk.command();
  const unknown = { webhookId: randomUUID(), reason: null };
  const orders = [
    desk.service['remove-webhook'](unknown, desk.command()),
    ban(desk, 'alice', same),
    ban(desk, 'bob', same),
    ban(desk, 'carol', desk.command()),
  ];
  const outcomes = await Promise.allSettled(orders);
  t.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'done' : outcome.reason.code)),
    ['WEBHOOK_NOT_FOUND', 'done', 'IDEMPOTENCY_CONFLICT', 'done'],
  );
});

test('a store that is slow with the text of a suite holds up no other order', async (t) => {
  const desk = await openOperatorDesk(t);
  const documentSha256 = desk.suite();
  const store = desk.holdStore();
  const created = desk.service['create-suite']({ documentSha256, reason: null }, desk.command());
  await until(() => store.isAsked());
  await ban(desk, 'alice', desk.command());
  store.goOn();
  t.is((await created).suiteVersion, 1);
  t.deepEqual(
    (await auditOf(desk)).map((entry) => entry.split(' ')[0]),
    ['hotkey.ban', 'suite.create'],
  );
});

test('a suite whose text came too late for its caller is not made', async (t) => {
  const clock = new ManualClock();
  const desk = await openOperatorDesk(t, clock);
  const documentSha256 = desk.suite();
  const store = desk.holdStore();
  const order = { ...desk.command(), budgetMs: 10_000 };
  const asked = desk.service['create-suite']({ documentSha256, reason: null }, order);
  await until(() => store.isAsked());
  clock.standStill(60_000);
  store.goOn();
  const refused = await t.throwsAsync(asked, { instanceOf: Fault });
  t.is(refused.code, 'OVERLOADED');
  t.deepEqual(await auditOf(desk), []);
});

test('a store that is slow with the text of a pack holds up no other pack', async (t) => {
  const desk = await openOperatorDesk(t);
  await desk.register();
  const store = desk.holdStore();
  const slowSha256 = 'cd'.repeat(32);
  const slow = desk.register(slowSha256);
  await until(() => store.isAsked());
  store.letOthers();
  t.is((await desk.register()).packSha256, packSha256);
  store.goOn();
  t.is((await slow).packSha256, slowSha256);
});
