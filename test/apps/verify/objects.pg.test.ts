import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import test, { type ExecutionContext } from 'ava';
import { codeKey, keptKey } from '../../../apps/edge/evaluation/object-keys.ts';
import { LiveUnreadable } from '../../../apps/verify/live/live-unreadable.ts';
import { ObjectsUnreadable } from '../../../apps/verify/objects/objects-unreadable.ts';
import { verifyObjects } from '../../../apps/verify/objects/verify-objects.ts';
import type { FileKindId } from '../../../apps/verify/options.ts';
import { fileKindIds, readOptions } from '../../../apps/verify/options.ts';
import { terminal } from '../../../apps/world/terminal.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { createS3Inspector } from '../../../infra/object-store/s3-inspector.ts';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import { StorageUnavailable } from '../../../infra/object-store/storage-unavailable.ts';
import type { ObjectInspector } from '../../../infra/ports/object-inspector.ts';
import { loginUrl } from '../../../infra/postgres/logins.ts';
import { embeddedStore, plainClient } from '../../infra/object-store/store-under-test.ts';
import { testDatabase } from '../../support/cluster.ts';
import { bytesOf, nameFiles } from '../../support/named-files.ts';

/** A database and a bucket with a file of each kind. */
async function installation(t: ExecutionContext) {
  const store = await embeddedStore();
  t.teardown(() => store.stop());
  const { url, sql } = await testDatabase(t);
  const objects = createS3Store(store.options);
  await objects.ensureBucket();
  const keys = await nameFiles(sql, objects);
  const inspector = createS3Inspector(store.options);
  const client = plainClient(store.options);
  const Bucket = store.options.bucket;
  return {
    ...{ store, url, sql, keys, inspector },
    remove: (Key: string) => client.send(new DeleteObjectCommand({ Bucket, Key })),
    /** As no process of ours does it. */
    replace: (Key: string, Body: Uint8Array) =>
      client.send(new PutObjectCommand({ Bucket, Key, Body })),
  };
}

type Installation = Awaited<ReturnType<typeof installation>>;

interface Changes {
  readonly inspector?: ObjectInspector;
  readonly url?: string;
  readonly rowsPerPage?: number;
}

/** What the command says, and with which code it ends. */
async function verified(of: Installation, args: readonly string[] = [], changes: Changes = {}) {
  const options = readOptions(['--objects', ...args]);
  if (options === undefined || !('objects' in options)) throw new Error('no options');
  let text = '';
  const stream = { write: (more: string) => (text += more) };
  const code = await verifyObjects({
    options: options.objects,
    databaseUrl: changes.url ?? of.url,
    store: changes.inspector ?? of.inspector,
    bucket: of.store.options.bucket,
    terminal: terminal({ stream, isStyled: false }),
    clock: systemClock,
    ...(changes.rowsPerPage !== undefined && { rowsPerPage: changes.rowsPerPage }),
  }).catch((error: unknown) => {
    throw Object.assign(error as Error, { said: text });
  });
  return { code, text };
}

interface Told {
  readonly kind: FileKindId;
  readonly named: number;
  readonly missing_files: readonly { readonly key: string }[];
  readonly wrong_files: readonly { readonly key: string; readonly why: string }[];
  readonly unread_files: readonly { readonly key: string; readonly why: string }[];
}

async function told(of: Installation, args: readonly string[] = [], changes: Changes = {}) {
  const { code, text } = await verified(of, ['--json', ...args], changes);
  return { code, kinds: JSON.parse(text).kinds as readonly Told[] };
}

const mustBeThere: readonly FileKindId[] = ['code', 'packs', 'bundles'];

test('where all is there, each kind has a line and the code is 0', async (t) => {
  const of = await installation(t);

  const { code, text } = await verified(of, ['--hash']);

  t.is(code, 0, text);
  for (const kind of fileKindIds) t.regex(text, new RegExp(`^${kind} +1 of 1 there`, 'm'));
  t.regex(text, /^8 files in [\d.]+ s: 0 missing, 0 wrong, 0 not readable\.$/m);
});

test('what was stored before its row and is not there is missing; the rest may be', async (t) => {
  const of = await installation(t);
  for (const key of Object.values(of.keys)) await of.remove(key);

  const { code, text } = await verified(of);
  const { kinds } = await told(of);

  t.is(code, 1);
  t.regex(text, /^8 files in [\d.]+ s: 3 missing, 0 wrong, 0 not readable\.$/m);
  t.regex(
    text,
    /^ {2}missing 1: put each back .*\n {4}code\/\w{64}\.py \(version .*QUEUED, of a: its runs fail\)$/m,
  );
  t.regex(text, /^episodes +0 of 1 there .*\(1 not: validators need not send them\)$/m);
  for (const {
    kind,
    missing_files: [file],
  } of kinds)
    t.is(file?.key, of.keys[kind], kind);
});

for (const kind of mustBeThere) {
  test(`one of ${kind} that is missing ends with code 1, and is named alone`, async (t) => {
    const of = await installation(t);
    await of.remove(of.keys[kind]);

    const { code, kinds } = await told(of);

    t.is(code, 1);
    const missing = kinds.flatMap(({ missing_files }) => missing_files.map(({ key }) => key));
    t.deepEqual(missing, [of.keys[kind]]);
  });
}

test('what validators, coordinators or nobody may have stored is no loss', async (t) => {
  const of = await installation(t);
  for (const kind of fileKindIds) if (!mustBeThere.includes(kind)) await of.remove(of.keys[kind]);

  t.is((await verified(of)).code, 0);
});

test('an empty file is wrong, whatever it is of', async (t) => {
  const of = await installation(t);
  for (const key of Object.values(of.keys)) await of.replace(key, new Uint8Array());

  const { code, kinds } = await told(of);

  t.is(code, 1);
  for (const {
    kind,
    wrong_files: [file],
  } of kinds)
    t.is(file?.key, of.keys[kind], kind);
});

test('of logs the copy counts that is given out, and the upload where there is none', async (t) => {
  const of = await installation(t);
  const kept = keptKey(of.keys['run-logs']);
  await of.replace(kept, bytesOf('run-logs'));
  await of.remove(of.keys['run-logs']);
  t.regex((await verified(of)).text, /^run-logs +1 of 1 there/m);

  await of.replace(kept, new Uint8Array());
  const { kinds } = await told(of, ['--only', 'run-logs']);

  t.like(kinds[0]?.wrong_files[0], { key: kept, why: 'is empty' });
});

test('of an episode the copy counts that is given out, by its hash', async (t) => {
  const of = await installation(t);
  const kept = keptKey(of.keys.episodes);
  await of.replace(kept, bytesOf('episodes'));
  await of.replace(of.keys.episodes, Buffer.from('forged'));
  t.is((await verified(of, ['--hash'])).code, 0);

  await of.replace(kept, Buffer.from('damaged'));
  const { code, kinds } = await told(of, ['--hash', '--only', 'episodes']);

  t.is(code, 1);
  t.is(kinds[0]?.wrong_files[0]?.key, kept);
});

test('a file that was cut is wrong by its size, and other bytes by their hash', async (t) => {
  const of = await installation(t);
  await of.replace(of.keys.packs, bytesOf('packs').subarray(1));
  await of.replace(of.keys.code, bytesOf('code').fill('x'));
  await of.replace(of.keys.episodes, Buffer.from('another trajectory'));

  const bySize = await told(of);
  const byHash = await told(of, ['--hash']);

  const wrong = ({ kinds }: { kinds: readonly Told[] }) =>
    kinds.flatMap(({ wrong_files }) => wrong_files.map(({ key }) => key));
  t.deepEqual([bySize.code, byHash.code], [1, 1]);
  t.deepEqual(wrong(bySize), [of.keys.packs]);
  t.deepEqual(wrong(byHash), [of.keys.code, of.keys.packs, of.keys.episodes]);
  const [code] = byHash.kinds[0]?.wrong_files ?? [];
  t.is(code?.why, `holds other bytes, of SHA-256 ${sha256Hex(bytesOf('code').fill('x'))}`);
  t.regex((await verified(of)).text, /^ {2}wrong 1: upload each again/m);
});

test('rows are read page by page, and none is left out or asked for twice', async (t) => {
  const of = await installation(t);
  const { sql, keys } = of;
  const absent = sha256Hex('absent');
  // The first and the last of a page, of the table, and of the page that is empty.
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
                               version_number, suite_id, state, submitted_at, code_sha256,
                               code_size_bytes, required_successes)
    select lpad(to_hex(n), 32, '0')::uuid, 0, agent_id, agent_name, miner_hotkey, 100 + n, suite_id,
           'DISCARDED', submitted_at, case when n in (1, 100, 101, 300) then ${absent}
           else code_sha256 end, code_size_bytes, 2
    from agent_version, generate_series(1, 300) n`;
  await sql`update agent_version set state = 'ELIGIBLE' where code_sha256 = ${absent}`;
  await sql`delete from race_entrant`;
  for (const rowsPerPage of [1, 99, 100, 101, 300, 301, 302]) {
    const { kinds } = await told(of, ['--only', 'CODE'], { rowsPerPage });

    const [code] = kinds;
    t.is(code?.named, 301, `${rowsPerPage}`);
    t.deepEqual(
      code?.missing_files.map(({ key }) => key),
      Array.from({ length: 4 }, () => codeKey(absent)),
    );
  }
  const { text } = await verified(of);
  t.regex(text, /^code +297 of 301 there/m);
  t.regex(
    text,
    /missing 4: .*\n(?: {4}code\/\w+\.py \(version .*, ELIGIBLE, of a: it cannot race\)\n){4}/,
  );
  t.is(keys.code.length, codeKey(absent).length);
});

test('a store that is away is never said to lack anything', async (t) => {
  const of = await installation(t);
  await of.remove(of.keys.code);
  await of.store.away();

  const error = await t.throwsAsync(verified(of), { instanceOf: ObjectsUnreadable });

  t.is(error?.message, 'the object store cannot be asked: ECONNREFUSED');
  t.is(Reflect.get(error ?? {}, 'said'), '');
});

test('a bucket that is not there is named, and no file in it', async (t) => {
  const of = await installation(t);
  const inspector = createS3Inspector({ ...of.store.options, bucket: 'another' });

  await t.throwsAsync(verified(of, [], { inspector }), {
    instanceOf: ObjectsUnreadable,
    message: /^the bucket paddock-test is not there: mend S3_BUCKET/,
  });
});

test('a bucket that goes in the middle takes no file along', async (t) => {
  const of = await installation(t);
  let isThere = true;
  const inspector: ObjectInspector = {
    ...of.inspector,
    hasBucket: async () => isThere,
    size: async () => {
      isThere = false;
      return undefined;
    },
  };

  const error = await t.throwsAsync(verified(of, [], { inspector }), {
    instanceOf: ObjectsUnreadable,
  });

  t.is(Reflect.get(error ?? {}, 'said'), '');
});

test('a file of which the store does not say is neither there nor missing', async (t) => {
  const of = await installation(t);
  const failing = new StorageUnavailable('', { cause: { $metadata: { httpStatusCode: 500 } } });
  const inspector: ObjectInspector = {
    ...of.inspector,
    // As of a volume that is gone while its index is not.
    digest: (key) => (key === of.keys.packs ? Promise.reject(failing) : of.inspector.digest(key)),
  };
  const { code, kinds } = await told(of, ['--hash'], { inspector });
  t.is(code, 2);
  t.like(kinds[1], { kind: 'packs', named: 1, there: 0, missing: 0, wrong: 0, unread: 1 });
  t.regex(kinds[1]?.unread_files[0]?.why ?? '', /^500 /);

  await of.remove(of.keys.code);
  t.is((await told(of, ['--hash'], { inspector })).code, 1);
});

test('a store that falls silent in the middle ends it, before all rows were read', async (t) => {
  const of = await installation(t);
  await of.sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
                               version_number, suite_id, state, submitted_at, code_sha256,
                               code_size_bytes, required_successes)
    select gen_random_uuid(), 0, agent_id, agent_name, miner_hotkey, 100 + n, suite_id, 'DISCARDED',
           submitted_at, code_sha256, code_size_bytes, 2
    from agent_version, generate_series(1, 200) n`;
  let asked = 0;
  const inspector: ObjectInspector = {
    ...of.inspector,
    size: async (key) => {
      asked += 1;
      if (asked > 20) throw new StorageUnavailable('', { cause: { code: 'ETIMEDOUT' } });
      return await of.inspector.size(key);
    },
  };

  const error = await t.throwsAsync(verified(of, [], { inspector }), {
    instanceOf: ObjectsUnreadable,
    message:
      /^the object store does not say whether code\/.* is there, nor of 31 files before it: ETIMEDOUT$/,
  });

  t.is(Reflect.get(error ?? {}, 'said'), '');
  t.true(asked < 100, `${asked}`);
});

test('edges and coordinators may ask, and an auditor is told who may', async (t) => {
  const of = await installation(t);
  for (const kind of ['edge', 'coordinator'] as const) {
    const { code, text } = await verified(of, [], { url: loginUrl(of.url, kind) });
    t.is(code, 0, text);
  }
  const auditor = `auditor_of_files_${process.pid}`;
  await of.sql`create role ${of.sql(auditor)} login in role paddock_audit`;
  t.teardown(() => of.sql`drop role ${of.sql(auditor)}`);
  const url = Object.assign(new URL(of.url), { username: auditor, password: '' }).href;

  await t.throwsAsync(verified(of, [], { url }), {
    instanceOf: LiveUnreadable,
    message: /this login may not read them: take the coordinators', the edges' or the owner's$/,
  });
});
