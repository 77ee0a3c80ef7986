import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { FolderTaken, FolderUnfit, lockFolder } from '../../../infra/local/folder-lock.ts';
import { systemEnv } from '../../support/system-env.ts';
import { until } from '../../support/until.ts';

const user = { name: 'validator', setting: 'VALIDATOR_DATA_DIR' } as const;

async function folderFor(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'validator-lock-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const source = JSON.stringify(join(import.meta.dirname, '../../../infra/local/folder-lock.ts'));

const unshare = [
  'unshare',
  '--user',
  '--map-root-user',
  '--net',
  '--pid',
  '--fork',
  '--kill-child',
];

/** Another process that has the folder. */
async function holder(t: ExecutionContext, folder: string, before: readonly string[] = []) {
  const script = `const { lockFolder } = await import(${source});
    globalThis.lock = await lockFolder(${JSON.stringify(folder)}, ${JSON.stringify(user)});
    console.log('holds it as ' + process.pid);
    process.stdin.resume();`;
  const node = [process.execPath, '--input-type=module', '--eval', script];
  const [command = '', ...args] = [...before, ...node];
  const child = spawn(command, args, { env: systemEnv(), stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('a folder belongs to one validator, and to nobody once that is gone', async (t) => {
  const folder = await folderFor(t);
  const first = await lockFolder(folder, user);
  await t.throwsAsync(lockFolder(folder, user), { instanceOf: FolderTaken, message: /works in/ });
  await first[Symbol.asyncDispose]();
  const second = await lockFolder(folder, user);
  await second[Symbol.asyncDispose]();

  t.deepEqual(await readdir(folder), []);
});

test('it is held against a container on the same disk, and given up by a kill', async (t) => {
  const folder = await folderFor(t);
  // Its process has the number 1 there.
  const [command, ...args] = unshare;
  const isHad = spawnSync(command ?? '', [...args, 'true']).status === 0;
  if (!isHad) t.log('no namespaces are to be had: it has those of the test');
  const other = await holder(t, folder, isHad ? unshare : []);
  await t.throwsAsync(lockFolder(folder, user), { instanceOf: FolderTaken });
  const left = await readdir(folder);
  other.kill('SIGKILL');
  await once(other, 'exit');

  // What is in its namespaces ends a little later.
  await until(async () => {
    const lock = await lockFolder(folder, user).catch(() => undefined);
    const names = await readdir(folder);
    await lock?.[Symbol.asyncDispose]();
    return lock !== undefined && names.length === 1 && names[0] !== left[0];
  });
  t.is(left.length, 1);
});

test('a process that stands still has it all the same', async (t) => {
  const folder = await folderFor(t);
  const other = await holder(t, folder);
  other.kill('SIGSTOP');

  for (let asked = 0; asked < 5; asked++)
    await t.throwsAsync(lockFolder(folder, user), { instanceOf: FolderTaken });
});

test('of many that start at once no two have it', async (t) => {
  const folder = await folderFor(t);
  for (let round = 0; round < 20; round++) {
    const asked = await Promise.allSettled(
      Array.from({ length: 8 }, () => lockFolder(folder, user)),
    );
    const held = asked.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
    t.true(held.length <= 1);
    for (const one of held) await one[Symbol.asyncDispose]();
  }
});

test('a long path is no hindrance', async (t) => {
  const folder = join(await folderFor(t), 'x'.repeat(200));
  await mkdir(folder);
  await using _lock = await lockFolder(folder, user);

  await t.throwsAsync(lockFolder(folder, user), { instanceOf: FolderTaken });
});

// Serial, for it is every server's of this process; those go first.
test.serial(
  'a file system without sockets is said in a sentence, and nothing else is',
  async (t) => {
    const folder = await folderFor(t);
    const { listen } = Server.prototype;
    t.teardown(() => {
      Server.prototype.listen = listen;
    });
    const failingWith = async (code: string) => {
      Server.prototype.listen = function fail(this: Server) {
        process.nextTick(() => this.emit('error', Object.assign(new Error(code), { code })));
        return this;
      };
      return await t.throwsAsync(lockFolder(folder, user));
    };
    for (const code of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']) {
      const error = await failingWith(code);
      t.true(error instanceof FolderUnfit);
      t.regex(error?.message ?? '', /takes no sockets: put VALIDATOR_DATA_DIR on a local disk$/);
    }
    t.false((await failingWith('EACCES')) instanceof FolderUnfit);
  },
);
