import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { Fault } from '../../../machines/fault.ts';
import { openOperatorDesk } from '../../support/operator-desk.ts';
import { parkFormerly, parkMessage } from '../../support/parked-message.ts';

async function openDesk(t: ExecutionContext) {
  const { admin, service, command } = await openOperatorDesk(t);
  const msgId = `svc:${randomUUID()}:eval:hotkey-unbanned:7`;
  const message = { msgId, part: 7, type: 'hotkey-unbanned', body: { hotkey: 'somebody' } };
  await parkMessage(admin, message);
  const resend = (id = msgId, by = command()) =>
    service['order-parked']({ order: 'resend-message', msgId: id, reason: null }, by);
  const drop = (id = msgId) =>
    service['order-parked']({ order: 'drop-message', msgId: id, reason: 'never mind' }, command());
  const count = async () => {
    const [row] = await admin`
      select (select count(*)::int from rt.poison) as parked,
        (select count(*)::int from rt.inbox) as proofs,
        (select count(*)::int from rt.outbox) as waiting`;
    return row;
  };
  const purge = () => admin`select rt.outbox_purge(100)`;
  const audits = async () => {
    const rows = await admin<{ action: string; object: string; reason: string | null }[]>`
      select action, object, reason from audit_log order by seq`;
    return rows.map(({ action, object, reason }) => [action, object, reason]);
  };
  return { admin, command, message, resend, drop, count, purge, audits };
}

type Desk = Awaited<ReturnType<typeof openDesk>>;

/** What the sweeper would send now. */
const due = ({ admin }: Desk) => admin`
  select kind, part, msg_id as "msgId", subject, headers, body, attempts
  from rt.outbox_due(100, interval '1 second')`;

const codeOf = async (t: ExecutionContext, act: () => Promise<unknown>) =>
  (await t.throwsAsync(act, { instanceOf: Fault }))?.code;

for (const isPurged of [true, false]) {
  const when = isPurged ? 'after' : 'before';
  test(`a message that is sent again ${when} the outbox let go of it is as it was`, async (t) => {
    const desk = await openDesk(t);
    const { msgId, body } = desk.message;
    if (isPurged) await desk.purge();
    t.deepEqual(await desk.count(), { parked: 1, proofs: 1, waiting: isPurged ? 0 : 1 });

    t.deepEqual(await desk.resend(), { subject: 'evt.eval.7.hotkey-unbanned' });

    t.deepEqual(await desk.count(), { parked: 0, proofs: 0, waiting: 1 });
    await desk.purge();
    const headers = { 'x-kind': 'svc', 'x-part': '0' };
    const sent = { kind: 'svc', part: 0, msgId, subject: 'evt.eval.7.hotkey-unbanned', headers };
    // The broker may know two attempts, and a third that began while it was parked.
    t.deepEqual([...(await due(desk))], [{ ...sent, body, attempts: 4 }]);
    await desk.admin`select rt.consume('eval', 7, 'evt', ${msgId})`;
    await desk.purge();
    t.deepEqual(await desk.count(), { parked: 0, proofs: 1, waiting: 0 });
    t.deepEqual(await desk.audits(), [['message.resend', `message/${msgId}`, null]]);
  });
}

test('an order that is repeated sends once, and another finds nothing', async (t) => {
  const desk = await openDesk(t);
  const same = desk.command();
  const first = await desk.resend(desk.message.msgId, same);
  t.is((await due(desk)).length, 1);
  await desk.admin`select rt.consume('eval', 7, 'evt', ${desk.message.msgId})`;
  await desk.purge();

  t.deepEqual(await desk.resend(desk.message.msgId, same), first);
  t.is(await codeOf(t, desk.resend), 'PARKED_MESSAGE_NOT_FOUND');
  t.is(await codeOf(t, desk.drop), 'PARKED_MESSAGE_NOT_FOUND');

  t.deepEqual(await desk.count(), { parked: 0, proofs: 1, waiting: 0 });
  t.is((await desk.audits()).length, 1);
});

test('what was sent again and fails once more is parked once more', async (t) => {
  const desk = await openDesk(t);
  const { msgId } = desk.message;
  await desk.resend();
  await due(desk);
  const again = { msgId, subject: 'evt.eval.7.x', headers: {}, body: '{}', error: 'again' };
  await desk.admin`select rt.park('eval', 7, 'evt', ${desk.admin.json(again)})`;
  await desk.purge();
  t.deepEqual(await desk.count(), { parked: 1, proofs: 1, waiting: 0 });

  await desk.resend();

  t.like((await due(desk))[0], { msgId, body: desk.message.body, attempts: 6 });
});

test('what another consumer has of a message that is sent again, it does not get twice', async (t) => {
  const desk = await openDesk(t);
  const { msgId } = desk.message;
  await desk.admin`select rt.consume('eval', 7, 'other', ${msgId})`;

  await desk.resend();

  const proofs = await desk.admin`select consumer from rt.inbox where msg_id = ${msgId}`;
  t.deepEqual([...proofs], [{ consumer: 'other' }]);
});

test('a message that is dropped has no effect any more', async (t) => {
  const desk = await openDesk(t);
  await desk.drop();
  await desk.purge();

  t.deepEqual(await desk.count(), { parked: 0, proofs: 1, waiting: 0 });
  t.is((await due(desk)).length, 0);
  const object = `message/${desk.message.msgId}`;
  t.deepEqual(await desk.audits(), [['message.drop', object, 'never mind']]);
});

test('a message that was parked before its sender was kept can only be dropped', async (t) => {
  const desk = await openDesk(t);
  await parkFormerly(desk.admin, 'former');

  t.is(await codeOf(t, () => desk.resend('former')), 'NOT_RESENDABLE');
  t.deepEqual(await desk.count(), { parked: 2, proofs: 1, waiting: 1 });
  t.is((await desk.audits()).length, 0);

  t.deepEqual(await desk.drop('former'), { subject: 'evt.eval.1.former' });
  t.deepEqual(await desk.count(), { parked: 1, proofs: 1, waiting: 1 });
});

test('a message that was consumed is not parked by a late delivery', async (t) => {
  const { admin, count, drop } = await openDesk(t);
  await drop();
  await admin`select rt.consume('eval', 7, 'evt', 'done')`;
  const late = { msgId: 'done', subject: 'evt.eval.7.x', headers: {}, body: '{}', error: 'late' };

  await admin`select rt.park('eval', 7, 'evt', ${admin.json(late)})`;

  t.like(await count(), { parked: 0, proofs: 2 });
});

test('a message that the outbox never had is parked, and cannot be sent again', async (t) => {
  const { admin, resend } = await openDesk(t);
  const foreign = {
    msgId: 'EVT:9',
    subject: 'evt.eval.7.x',
    headers: {},
    body: '{}',
    error: 'odd',
  };
  await admin`select rt.park('eval', 7, 'evt', ${admin.json(foreign)})`;

  t.is(await codeOf(t, () => resend('EVT:9')), 'NOT_RESENDABLE');
});
