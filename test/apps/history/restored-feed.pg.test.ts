import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { everyCheck } from '../../../apps/verify/live/checks/every-check.ts';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import { embeddedStore } from '../../infra/object-store/store-under-test.ts';
import { testDatabase } from '../../support/cluster.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { followStream } from '../../support/event-stream.ts';
import { paddockUser } from '../../support/paddock-command.ts';
import { plantEvents } from '../../support/planted-events.ts';
import { systemEnv } from '../../support/system-env.ts';
import { okBody } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { type Delivery, startReceiver } from '../../support/webhook-receiver.ts';

const run = promisify(execFile);
const main = join(import.meta.dirname, '../../../apps/history/main.ts');
const feedPath = '/v1/public/events';

/** A database and a bucket that outlive the services that work on them. */
async function openPlace(t: ExecutionContext) {
  const database = await testDatabase(t);
  const { sql } = database;
  const { options, stop } = await embeddedStore();
  t.teardown(stop);
  await createS3Store(options).ensureBucket();
  const bucket = {
    S3_ENDPOINT: options.endpoint,
    S3_BUCKET: options.bucket,
    S3_ACCESS_KEY_ID: options.accessKeyId,
    S3_SECRET_ACCESS_KEY: options.secretAccessKey,
  };
  const env = {
    ...bucket,
    CREDENTIAL_KEYS: `test:${randomBytes(32).toString('base64')}`,
    WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
    WEBHOOK_RETRY_MAX_SECONDS: '1',
  };
  /** A service for as long as something is done with it. */
  const serve = async (use: (service: TestService) => Promise<void>) => {
    const service = await startTestService({ database, env });
    try {
      await use(service);
    } finally {
      await service.stop();
    }
  };
  /** The feed and what webhooks were told, as a backup from then has them. */
  const restore = async (newest: number) => {
    await sql`delete from public_event where cursor > ${newest}`;
    await sql`update webhook set cursor = ${newest}, last_cursor = ${newest}`;
  };
  const accept = async () => {
    const by = ['--operator', 'alice', '--reason', 'the machine burnt'];
    await run(process.execPath, [main, 'accept', '--restored', ...by], {
      env: { ...systemEnv(), ...bucket, DATABASE_URL: database.url },
    });
  };
  return { sql, serve, restore, accept };
}

const idsOf = (deliveries: readonly Delivery[]) => new Set(deliveries.map(({ id }) => id));

/** What a user at a terminal hears who was ahead of the backup, and asks for one kind alone. */
async function followed(t: ExecutionContext, url: string, count: number) {
  const user = await paddockUser(t, { url });
  const from = ['--from', String(2 ** 32 - 1), '--type', 'submission-accepted'];
  const following = user.start(['events', ...from, '--json']);
  const ended = once(following, 'close');
  let [said, notes] = ['', ''];
  following.stdout.on('data', (more) => (said += String(more)));
  following.stderr.on('data', (more) => (notes += String(more)));
  const lines = () => said.split('\n').filter((line) => line !== '');
  await Promise.race([ended, until(() => lines().length >= count)]);
  following.kill('SIGINT');
  await ended;
  return { lines: lines(), notes };
}

test('who was ahead of a restored backup misses nothing and takes nothing for a repeat', async (t) => {
  const { sql, serve, restore, accept } = await openPlace(t);
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  let lostId = '';
  let webhook = '';
  await serve(async ({ baseUrl, operator }) => {
    const body = { url: receiver.url };
    const answer = await operator('POST', '/v1/admin/webhooks', { body });
    const { webhook_id: id } = await okBody<{ webhook_id: string }>(answer);
    webhook = `/v1/admin/webhooks/${id}`;
    await plantEvents(sql, 10);
    // An event may be told more than once, with the same id.
    await until(() => idsOf(receiver.deliveries).size >= 10);
    const stream = await followStream(`${baseUrl}${feedPath}?cursor=0`);
    await until(() => stream.events.length === 10);
    stream.close();
    lostId = stream.lastId() ?? '';
  });
  const known = idsOf(receiver.deliveries);
  const before = receiver.deliveries.length;

  await restore(6);
  await accept();

  receiver.behave(() => 500);
  await serve(async ({ baseUrl, operator }) => {
    // One more than was lost: under the numbers that go on where the backup ended, four would be known.
    const newest = await plantEvents(sql, 5);
    const stream = await followStream(`${baseUrl}${feedPath}`, { 'last-event-id': lostId });
    t.is(stream.status, 200);
    await until(() => stream.lastId() === String(newest));
    stream.close();
    const heard = stream.events.map(({ data }) => data);
    t.deepEqual(
      heard.map(({ cursor, type }) => [cursor, type]),
      [
        [2 ** 32, 'history-restored'],
        ...[1, 2, 3, 4, 5].map((place) => [2 ** 32 + place, 'submission-accepted']),
      ],
    );
    t.like(heard[0], { branch: 1, last_kept_cursor: 6 });
    t.like(await okBody(await operator('GET', webhook)), { cursor: 6, lag: 6 });
    receiver.behave(() => 204);
    const taken = () => receiver.deliveries.slice(before).filter(({ status }) => status === 204);
    await until(() => taken().some(({ event }) => event.cursor === newest));
    const told = new Map(taken().map(({ id, event }) => [id, event]));
    const repeats = [...told.keys()].filter((id) => known.has(id));
    t.deepEqual(repeats, []);
    t.deepEqual([...told.values()], heard);

    const { lines, notes } = await followed(t, baseUrl, 5);
    t.deepEqual(
      lines.map((line) => JSON.parse(line).cursor),
      heard.slice(1).map(({ cursor }) => cursor),
    );
    t.regex(notes, /^paddock: the service went back .+ after event 6 never was\n$/);
  });
  const found = await everyCheck.find(({ rule }) => /feed has no gap/.test(rule))?.find(sql);
  t.is(found?.length, 0);
});
