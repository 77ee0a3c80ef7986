import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { bindGroups, signalGroup } from './bound-groups.ts';
import { until } from './until.ts';

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-groups-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const module = JSON.stringify(new URL('./bound-groups.ts', import.meta.url).href);

/** Leads a group whose leader ends at once and leaves somebody behind; says which. */
const binder = `
  const { spawn } = await import('node:child_process');
  const { bindGroups } = await import(${module});
  const groups = bindGroups(process.argv[1]);
  const leader = spawn('bash', ['-c', 'sleep 600 & exit'], { detached: true, stdio: 'ignore' });
  groups.bind(leader);
  leader.once('exit', () => console.log(leader.pid));
  setInterval(() => undefined, 1_000);`;

for (const signal of ['SIGKILL', 'SIGINT'] as const) {
  test(`who dies of ${signal} leaves neither his groups nor their folder`, async (t) => {
    const folder = await folderOf(t);
    const ours = spawn(process.execPath, ['--input-type=module', '-e', binder, '--', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => void ours.kill('SIGKILL'));
    const [said] = await once(ours.stdout, 'data');
    const pid = Number(String(said));
    const isThere = () => {
      try {
        return process.kill(-pid, 0);
      } catch {
        return false;
      }
    };
    t.teardown(() => void (isThere() && process.kill(-pid, 'SIGKILL')));
    t.true(pid > 1 && isThere());
    ours.kill(signal);

    await until(() => !isThere());
    await until(() => !existsSync(folder));
    t.pass();
  });
}

test('whoever ends his groups himself keeps their folder', async (t) => {
  const folder = await folderOf(t);
  const groups = bindGroups(folder);
  const leader = spawn('bash', ['-c', 'sleep 600 & exit'], { detached: true, stdio: 'ignore' });
  groups.bind(leader);
  await once(leader, 'exit');
  t.true(signalGroup(leader, 0));

  await groups.end();

  t.false(signalGroup(leader, 0));
  t.true(existsSync(folder));
});
