import { execFile } from 'node:child_process';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createS3MarkCopy } from '../../../infra/object-store/s3-mark-copy.ts';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { createHistoryStore } from '../../../infra/postgres/history-store.ts';
import { embeddedStore } from '../../infra/object-store/store-under-test.ts';
import { testDatabase } from '../../support/cluster.ts';
import { systemEnv } from '../../support/system-env.ts';

const main = join(import.meta.dirname, '../../../apps/history/main.ts');
const by = ['--operator', 'alice', '--reason', 'the machine burnt'];

/** A database and a bucket of one moment, in which no process works. */
async function restored(t: ExecutionContext) {
  const { url, sql } = await testDatabase(t);
  const { options, stop } = await embeddedStore();
  t.teardown(stop);
  await createS3Store(options).ensureBucket();
  const history = createHistoryStore(sql);
  const copy = createS3MarkCopy(options);
  const newest = async () => {
    const found = (await history.read([]))?.newest;
    return found ?? t.fail('there is no mark');
  };
  const typed = (...args: string[]) => {
    const env = {
      ...systemEnv(),
      DATABASE_URL: url,
      S3_ENDPOINT: options.endpoint,
      S3_BUCKET: options.bucket,
      S3_ACCESS_KEY_ID: options.accessKeyId,
      S3_SECRET_ACCESS_KEY: options.secretAccessKey,
    };
    return new Promise<{ code: number; output: string }>((resolve) => {
      execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
      });
    });
  };
  return { sql, history, copy, newest, typed };
}

async function lowest(sql: Sql) {
  const [row] = await sql<{ epoch: string; fence: string }[]>`
    select min(epoch) as epoch, rt.fence_floor() as fence from rt.partition`;
  return row;
}

test('a database and a bucket that went back together are on a new branch once that is said', async (t) => {
  const { sql, history, copy, newest, typed } = await restored(t);
  await history.advance(0, undefined);
  await copy.write(await newest());
  await history.advance(0, undefined);
  const before = await newest();

  const unsaid = await typed('accept', ...by);
  const said = await typed('accept', '--restored', ...by);

  t.is(unsaid.code, 1);
  t.regex(unsaid.output, /There is nothing to accept.*--restored/);
  t.is(said.code, 0, said.output);
  t.regex(said.output, /Accepted: branch 1\./);
  t.like(await newest(), { branch: 1, seq: before.seq + 1 });
  t.deepEqual(await lowest(sql), { epoch: '4294967296', fence: '4294967296' });
  const entries = await sql<{ actor: string; reason: string; detail: unknown }[]>`
    select actor, reason, detail from audit_log where action = 'accept-history'`;
  t.is(entries.length, 1);
  t.like(entries[0], { actor: 'operator:alice', reason: 'the machine burnt' });
  t.like(entries[0]?.detail, { objection: 'restored', where: 'database', lost_seconds: null });
});

test('a restore of which the bucket knows more is accepted as far as that', async (t) => {
  const { sql, history, copy, newest, typed } = await restored(t);
  await history.advance(0, undefined);
  const mark = await newest();
  await copy.write({ ...mark, branch: 2, seq: 90 });

  const { code, output } = await typed('accept', '--restored', ...by);

  t.is(code, 0, output);
  t.like(await newest(), { branch: 3, seq: 91 });
  const [entry] = await sql<{ detail: unknown }[]>`
    select detail from audit_log where action = 'accept-history'`;
  t.like(entry?.detail, { objection: 'behind', where: 'object_store' });
});

test('who restored says so with the acceptance and nowhere else', async (t) => {
  const { history, newest, typed } = await restored(t);
  await history.advance(0, undefined);

  const alone = await typed('--restored');
  const unknown = await typed('accept', '--restore', ...by);

  t.is(alone.code, 2);
  t.regex(alone.output, /accept \[--restored\]/);
  t.is(unknown.code, 2);
  t.is((await newest()).branch, 0);
});

test('a database on which no coordinator ever worked has nothing to accept', async (t) => {
  const { typed } = await restored(t);

  const { code, output } = await typed('accept', '--restored', ...by);

  t.is(code, 1);
  t.regex(output, /No coordinator has worked on this database yet\.\nThere is nothing to accept\./);
});
