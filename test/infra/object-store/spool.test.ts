import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { spool } from '../../../infra/object-store/spool.ts';

async function scratchOf(t: ExecutionContext): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'paddock-spool-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  return scratch;
}

test('a body is a file until it is disposed of', async (t) => {
  const scratch = await scratchOf(t);
  {
    await using file = await spool(Readable.from([Buffer.from('a body')]), scratch);
    t.is(await readFile(file.path, 'utf8'), 'a body');
    t.is(file.sha256, sha256Hex('a body'));
  }
  t.deepEqual(await readdir(scratch), []);
});

test('a body that breaks before it is read fails its reader alone', async (t) => {
  const scratch = await scratchOf(t);
  const body = new PassThrough();
  const spooled = spool(body, scratch);
  t.not(body.listenerCount('error'), 0, 'unheard, it would end the process');
  body.destroy(new Error('broken off'));
  await t.throwsAsync(spooled, { message: 'broken off' });
  t.deepEqual(await readdir(scratch), []);
});

test('a body for which there is no folder is let go, and may still break', async (t) => {
  const body = new PassThrough();
  // No folder can be made below a file, as none can on a full disk.
  await t.throwsAsync(spool(body, join(import.meta.filename, 'scratch')), { code: 'ENOTDIR' });
  t.true(body.destroyed);
  body.emit('error', new Error('broken off'));
});
