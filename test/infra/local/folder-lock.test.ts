import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { FolderTaken, lockFolder } from '../../../infra/local/folder-lock.ts';
import { commandLineOf } from '../../../infra/local/process-facts.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';

test('a folder belongs to one process of a program, and to nobody once that is gone', async (t) => {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const program = await commandLineOf(process.pid);
  const user = { name: 'validator', program, otherwise: 'use another' } as const;
  await writeFile(join(folder, 'validator.pid'), '999999999');
  const lock = await lockFolder(folder, { ...user, pid: process.pid });

  await t.throwsAsync(lockFolder(folder, { ...user, pid: 1 }), {
    instanceOf: FolderTaken,
    message: `the validator of process ${process.pid} works in ${folder}: stop it, or use another`,
  });
  // A number alone says nothing.
  const other = { ...user, program: 'apps/validator/main.ts', pid: 1 };
  await t.notThrowsAsync(lockFolder(folder, other));
  await lock[Symbol.asyncDispose]();
  await t.notThrowsAsync(lockFolder(folder, { ...user, pid: 1 }));
});
