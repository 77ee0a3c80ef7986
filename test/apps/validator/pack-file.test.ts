import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openPack, PackUnusable } from '../../../apps/validator/run/open-pack.ts';
import { packFile } from '../../../apps/validator/run/pack-file.ts';
import { TransferFailed } from '../../../apps/validator/transfer.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { listening } from '../../support/listening.ts';

const bytes = Buffer.from('what a pack holds');
const sha256 = sha256Hex(bytes);
const name = `${sha256}.tar.gz`;

async function folderFor(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'validator-packs-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

/** A store that has the pack, and counts who asks for it. */
async function storeFor(t: ExecutionContext, sent = bytes, onAsked = () => {}) {
  const store = { asked: 0 };
  const { origin: url } = await listening(t, (_request, response) => {
    store.asked += 1;
    onAsked();
    response.end(sent);
  });
  const announced = { url, sha256, sizeBytesMax: bytes.length };
  const deps = { clock: systemClock, signal: new AbortController().signal };
  const fetchInto = (folder: string) => packFile(announced, folder, deps);
  return { store, fetchInto };
}

test('an empty file under the name of a pack is replaced by one new download', async (t) => {
  const folder = await folderFor(t);
  await writeFile(join(folder, name), '');
  const { store, fetchInto } = await storeFor(t);

  const path = await fetchInto(folder);

  t.deepEqual(await readFile(path), bytes);
  t.is(store.asked, 1);
  t.is(await fetchInto(folder), path);
  t.is(store.asked, 1);
});

// As of a disk with a bad block, and every run of this pack would be given back from then on.
test('so is a kept pack that cannot be read', async (t) => {
  const folder = await folderFor(t);
  await symlink('/proc/self/mem', join(folder, name));
  await t.throwsAsync(readFile(join(folder, name)), { code: 'EIO' });
  const { store, fetchInto } = await storeFor(t);

  t.deepEqual(await readFile(await fetchInto(folder)), bytes);
  t.is(store.asked, 1);
});

test('a pack that is kept whole is not fetched again, and a new one sends old ones away', async (t) => {
  const folder = await folderFor(t);
  await writeFile(join(folder, 'old.tar.gz'), 'old');
  const { store, fetchInto } = await storeFor(t);

  await fetchInto(folder);
  await fetchInto(folder);

  t.is(store.asked, 1);
  t.deepEqual(await readdir(folder), [name]);
});

// A disk that holds one pack and a half must hold the next one, too.
test('old packs are gone before a new one comes', async (t) => {
  const folder = await folderFor(t);
  await writeFile(join(folder, 'old.tar.gz'), 'old');
  let found: readonly string[] = [];
  const { fetchInto } = await storeFor(t, bytes, () => {
    found = readdirSync(folder);
  });

  await fetchInto(folder);

  t.false(found.includes('old.tar.gz'));
});

test('of a download that failed nothing stays on the disk', async (t) => {
  const folder = await folderFor(t);
  const { fetchInto } = await storeFor(t, Buffer.from('another pack'));

  await t.throwsAsync(fetchInto(folder), { instanceOf: TransferFailed });

  t.deepEqual(await readdir(folder), []);
});

test('a disk that cannot be read is no fault of the pack, and a broken archive is', async (t) => {
  const folder = await folderFor(t);
  await mkdir(join(folder, 'unreadable'));
  await writeFile(join(folder, name), bytes);

  const error = await t.throwsAsync(openPack(join(folder, 'unreadable')), { code: 'EISDIR' });

  t.false(error instanceof PackUnusable);
  await t.throwsAsync(openPack(join(folder, name)), { instanceOf: PackUnusable });
});
