import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realValidators } from '../../../apps/world/demo/real-validators.ts';
import type { ProcessEnd } from '../../../apps/world/process-group.ts';
import { processesWith } from '../../support/processes-with.ts';
import { systemEnv } from '../../support/system-env.ts';

test('a validator that cannot start is given up, with its last lines', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'real-validators-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const ends: ProcessEnd[] = [];
  const { promise: givenUp, resolve } = Promise.withResolvers<Error>();
  // As where a library of Node is missing; that it is heard at all shows that Node's options are passed on.
  const ended = `console.error('no library');process.exit(127)`;
  const env = {
    ...systemEnv(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ended)}`,
  };

  const running = await realValidators({
    ...{ count: 1, seed: 7, dataDir, env, baseUrls: ['http://127.0.0.1:9'] },
    onRestart: (_name, end) => void ends.push(end),
    onGivenUp: resolve,
  }).start();
  const { message } = await givenUp;
  await running[Symbol.asyncDispose]();

  t.regex(message, /^validator-1 ends at its start\. Its last lines:\n(.*\n)*no library/);
  t.deepEqual(
    ends.map(({ code }) => code),
    [127, 127, 127],
  );
  t.deepEqual(await processesWith(dataDir), []);
});
