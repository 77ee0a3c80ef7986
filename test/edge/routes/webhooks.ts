import { randomBytes } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { webhook as webhookShape } from '../../../apps/edge/wire/webhook.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { forgetAnswers } from '../../support/forget-answers.ts';
import { plantEvents } from '../../support/planted-events.ts';
import { okBody } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { isSigned, type Receiver, silent, startReceiver } from '../../support/webhook-receiver.ts';
import { invalid, refused } from './answers.ts';

let service: TestService;
test.serial.before(async () => {
  service = await startTestService({
    env: {
      // Names that anybody could register, for tests alone.
      WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
      WEBHOOK_TIMEOUT_SECONDS: '10',
      WEBHOOK_RETRY_MAX_SECONDS: '1',
    },
  });
});
test.after.always(() => service?.stop());

interface Registered {
  readonly webhook_id: string;
  readonly url: string;
  readonly event_types: readonly string[] | null;
  readonly cursor: number;
  readonly created_at: string;
  readonly secret: string;
}

const path = '/v1/admin/webhooks';
const register = async (body: object, headers: Readonly<Record<string, string>> = {}) =>
  await okBody<Registered>(await service.operator('POST', path, { body, headers }));
const state = async (id: string) =>
  webhookShape.parse(await okBody(await service.operator('GET', `${path}/${id}`)));
const remove = (id: string) => service.operator('DELETE', `${path}/${id}`);
const cursors = ({ deliveries }: Receiver) => deliveries.map(({ event }) => event.cursor);
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test.serial('a webhook is told of each event in order, signed for its secret', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  const { webhook_id: id, cursor, secret, ...rest } = await register({ url: receiver.url });
  t.like(rest, { url: receiver.url, event_types: null });
  const newest = await plantEvents(service.sql, 25);
  await until(() => receiver.deliveries.length === 25);

  t.deepEqual(cursors(receiver), range(cursor + 1, newest));
  t.is(receiver.openMost(), 1);
  for (const delivery of receiver.deliveries) {
    t.true(isSigned(delivery, secret));
    t.false(isSigned({ ...delivery, body: `${delivery.body} ` }, secret));
    t.false(isSigned({ ...delivery, timestamp: delivery.timestamp + 1 }, secret));
    t.is(delivery.id, `evt_${delivery.event.cursor}`);
    t.true(Math.abs(delivery.timestamp * 1000 - delivery.atMs) < 60_000);
  }
  await until(async () => (await state(id)).cursor === newest);
  t.like(await state(id), { status: 'active', lag: 0, last_status_code: 204, last_error: null });
  t.is((await remove(id)).status, 200);
});

test.serial('it is told of the kinds alone that it asked for', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  const wanted = { url: receiver.url, event_types: ['version-eligible'] };
  const { webhook_id: id } = await register(wanted);
  await plantEvents(service.sql, 120);
  const eligible = await plantEvents(service.sql, 2, 'version-eligible');
  const newest = await plantEvents(service.sql, 120);
  await until(async () => (await state(id)).cursor === newest);
  t.deepEqual(cursors(receiver), [eligible - 1, eligible]);
  await remove(id);
});

test.serial('what fails is tried again until it is taken, and nothing overtakes it', async (t) => {
  const statuses = [500, 302, silent, 429, 200];
  const receiver = await startReceiver((_, index) => statuses[index] ?? 200);
  t.teardown(receiver.stop);
  const { webhook_id: id, cursor, secret } = await register({ url: receiver.url });
  await plantEvents(service.sql, 3);
  await until(async () => (await state(id)).status === 'failing');
  const failing = await state(id);
  t.like(failing, { cursor, lag: 3, last_event_cursor: cursor + 1, last_success_at: null });
  t.regex(failing.last_error ?? '', /^(answered (500|302|429)|no answer within 10 s)$/);
  t.not(failing.next_attempt_at, null);
  await until(() => receiver.deliveries.length === 7);

  const first = cursor + 1;
  t.deepEqual(cursors(receiver), [first, first, first, first, first, first + 1, first + 2]);
  // A redirect is a failure and followed nowhere.
  t.true(receiver.deliveries.every((delivery) => delivery.path === '/told'));
  t.is(new Set(receiver.deliveries.slice(0, 5).map((each) => each.id)).size, 1);
  t.true(receiver.deliveries.every((delivery) => isSigned(delivery, secret)));
  await until(async () => (await state(id)).status === 'active');
  t.like(await state(id), { failure_count: 0, next_attempt_at: null, lag: 0 });
  await remove(id);
});

test.serial('a replay sends everything after its cursor once more', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  const { webhook_id: id, cursor } = await register({ url: receiver.url });
  const newest = await plantEvents(service.sql, 4);
  await until(() => receiver.deliveries.length === 4);
  const replay = (body: object) => service.operator('POST', `${path}/${id}/replay`, { body });
  t.deepEqual(await okBody(await replay({ cursor: cursor + 1, reason: 'a lost disk' })), {
    webhook_id: id,
    cursor: cursor + 1,
  });
  await until(() => receiver.deliveries.length === 7);
  t.deepEqual(cursors(receiver).slice(4), range(cursor + 2, newest));
  // The same ids, so that who had them knows.
  t.is(receiver.deliveries[4]?.id, receiver.deliveries[1]?.id);

  t.is(await invalid(t, await replay({ cursor: newest + 1 })), 'body.cursor');
  t.is(await invalid(t, await replay({ cursor: -1 })), 'body.cursor');
  await remove(id);
});

test.serial(
  'a secret is shown once, opens nowhere else, and stands nowhere in the clear',
  async (t) => {
    const receiver = await startReceiver();
    t.teardown(receiver.stop);
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const body = { url: `${receiver.url}?key=in-the-url`, secret, reason: 'for the dashboard' };
    const headers = { 'idempotency-key': 'one-webhook' };
    const given = await register(body, headers);
    t.is(given.secret, secret);
    const again = await register(body, headers);
    t.deepEqual(again, given);
    const other = { ...body, secret: `whsec_${randomBytes(24).toString('base64')}` };
    const conflict = await service.operator('POST', path, { body: other, headers });
    await refused(t, conflict, '409 IDEMPOTENCY_CONFLICT');
    const made = await register({ url: receiver.url }, { 'idempotency-key': 'another' });
    t.deepEqual(await register({ url: receiver.url }, { 'idempotency-key': 'another' }), made);
    t.regex(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);

    const rows = await service.sql`
    select to_jsonb(w)::text as text from webhook w
    union all select to_jsonb(i)::text from idempotency i
    union all select to_jsonb(a)::text from audit_log a`;
    const stored = rows.map(({ text }) => String(text)).join('\n');
    t.true(stored.includes('webhook.register'));
    t.true(stored.includes('for the dashboard'));
    for (const each of [secret, made.secret]) t.false(stored.includes(each.slice(6, 26)));
    const audit = await service.sql`select detail::text as text from audit_log`;
    t.false(audit.some(({ text }) => String(text).includes('in-the-url')));

    const list = z.object({ webhooks: z.array(webhookShape.strict()) });
    const shown = list.parse(await okBody(await service.operator('GET', path)));
    t.deepEqual(
      shown.webhooks.map((each) => each.webhook_id),
      [given.webhook_id, made.webhook_id],
    );

    // Moved to another webhook a sealed secret opens no more, and nothing is sent under a wrong one.
    await service.sql`
    update webhook set sealed_secret = (
      select sealed_secret from webhook where webhook_id = ${made.webhook_id})
    where webhook_id = ${given.webhook_id}`;
    await plantEvents(service.sql, 1);
    await until(async () => (await state(given.webhook_id)).status === 'failing');
    t.is((await state(given.webhook_id)).last_error, 'the secret opens with no key');
    await until(() => receiver.deliveries.length > 0);
    t.true(receiver.deliveries.every((delivery) => isSigned(delivery, made.secret)));
    for (const { webhook_id: id } of [given, made]) await remove(id);
  },
);

test.serial('a webhook under a key of the day before is another one', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  const again = { 'idempotency-key': 'every-day' };
  const first = await register({ url: receiver.url }, again);
  t.deepEqual(await register({ url: receiver.url }, again), first);
  await forgetAnswers(service.sql);

  const second = await register({ url: receiver.url }, again);

  t.not(second.webhook_id, first.webhook_id);
  t.not(second.secret, first.secret);
  t.deepEqual(await register({ url: receiver.url }, again), second);
  for (const { webhook_id: id } of [first, second]) await okBody(await remove(id));
});

test.serial('private addresses are not connected to, by number or by name', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  const { port } = receiver;
  const hosts = ['localhost', '127.0.0.2', '[::1]', '[::ffff:127.0.0.1]', '2130706434', '0.0.0.0'];
  const ids: string[] = [];
  for (const host of hosts) {
    ids.push((await register({ url: `http://${host}:${port}/told` })).webhook_id);
  }
  await plantEvents(service.sql, 1);
  for (const [index, id] of ids.entries()) {
    await until(async () => (await state(id)).status === 'failing');
    const told = /^the address is not public.* WEBHOOK_PRIVATE_HOSTS/;
    t.regex((await state(id)).last_error ?? '', told, hosts[index]);
  }
  t.deepEqual(receiver.deliveries, []);
  for (const id of ids) await remove(id);
});

test.serial('who was removed is told nothing more, and is unknown', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  const kept = await register({ url: receiver.url });
  const { webhook_id: id } = await register({ url: `${receiver.url}/gone` });
  t.deepEqual(await okBody(await remove(id)), { webhook_id: id, removed: true });
  await plantEvents(service.sql, 2);
  await until(() => receiver.deliveries.length === 2);
  t.true(receiver.deliveries.every((delivery) => delivery.path === '/told'));
  await refused(t, await service.operator('GET', `${path}/${id}`), '404 WEBHOOK_NOT_FOUND');
  await refused(t, await remove(id), '404 WEBHOOK_NOT_FOUND');
  const replay = await service.operator('POST', `${path}/${id}/replay`, { body: { cursor: 0 } });
  await refused(t, replay, '404 WEBHOOK_NOT_FOUND');
  await remove(kept.webhook_id);
});

test.serial(
  'what is no address, kind or secret is refused by name, and secrets do not come back',
  async (t) => {
    const url = 'https://example.org/told';
    const wrong: readonly (readonly [object, string])[] = [
      [{}, 'body.url'],
      [{ url: 'ftp://example.org' }, 'body.url'],
      [{ url: 'https://user:word@example.org' }, 'body.url'],
      [{ url: 'https://example.org/#part' }, 'body.url'],
      [{ url: `https://example.org/${'x'.repeat(2048)}` }, 'body.url'],
      [{ url, event_types: [] }, 'body.event_types'],
      [{ url, event_types: ['run-started'] }, 'body.event_types.0'],
      [{ url, secret: 'whsec_c2hvcnQ=' }, 'body.secret'],
      [{ url, secret: 'my-own-secret-of-some-length' }, 'body.secret'],
    ];
    for (const [body, loc] of wrong) {
      const answer = await service.operator('POST', path, { body });
      const text = await answer.clone().text();
      t.is(await invalid(t, answer), loc);
      t.false(/c2hvcnQ|my-own-secret/.test(text));
    }
    const stranger = await service.call('POST', path, { body: { url } });
    await refused(t, stranger, '401 MISSING_CREDENTIALS');
  },
);
