import { readFile } from 'node:fs/promises';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { startJudgeChild } from '../../../infra/python/cpython/judge-child.ts';

// Where a system lacks a library of Node's, the bootstrap brings it, and names its folder in a variable:
// without that one no child of ours starts there.
test.serial(
  'the process of CPython gets the path of libraries, and nothing else of ours',
  async (t) => {
    const before = process.env['LD_LIBRARY_PATH'];
    process.env['LD_LIBRARY_PATH'] = '/no/such/folder';
    process.env['RACE_SECRET'] = 'secret';
    const child = await startJudgeChild({ deadlineMs: 10_000, clock: systemClock });
    try {
      const environment = await readFile(`/proc/${child.pid}/environ`, 'utf8');
      const names = environment.split('\0').map((each) => each.split('=')[0]);

      t.true(environment.split('\0').includes('LD_LIBRARY_PATH=/no/such/folder'));
      t.deepEqual(
        names.filter((name) => name !== '' && !/^NODE_CHANNEL_/.test(name ?? '')),
        ['LD_LIBRARY_PATH'],
      );
    } finally {
      await child.kill();
      delete process.env['RACE_SECRET'];
      if (before === undefined) delete process.env['LD_LIBRARY_PATH'];
      else process.env['LD_LIBRARY_PATH'] = before;
    }
  },
);
