import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { startServiceWorld } from '../support/service-world.ts';

/** Takes half a second to end, as a coordinator does that hands its work over. */
const script = `
  process.on('SIGINT', () => setTimeout(process.exit, 500));
  setInterval(() => undefined, 1000);
  console.log('ready');`;

/** What a dead parent left in a folder: the next start there ends it first. */
async function leaveOrphan(pidFile: string) {
  const args = ['--eval', script];
  const orphan = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(orphan.stdout, 'data');
  const record = { pid: orphan.pid, parentPid: 1, args: args.join(' ') };
  await writeFile(pidFile, JSON.stringify(record));
  return orphan;
}

// A test that kills the first edge and asks the first address has to mean the same process.
test('processes stand in the order of their names, whichever could start first', async (t) => {
  await using world = await startServiceWorld({ edges: 1, coordinators: 1 });
  const folder = join(world.dataDir, 'more-1');
  await mkdir(folder);
  const orphan = await leaveOrphan(join(folder, 'coordinator-1.pid'));

  const more = await world.addCoordinators(2);

  t.not(orphan.exitCode ?? orphan.signalCode, null);
  t.deepEqual(
    more.coordinators.map(({ name }) => name),
    ['coordinator-1', 'coordinator-2'],
  );
});
