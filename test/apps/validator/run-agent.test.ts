import test from 'ava';
import { runAgent } from '../../../apps/validator/sandbox/run-agent.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';
import { trialLimits } from './try-sandbox.ts';

test('a task ends although somebody whom nobody can name any more keeps its pipes', async (t) => {
  const clock = new ManualClock();
  // Like a sandbox that never begins, and leaves a process in a session of its own.
  const script = `setsid sh -c 'echo $$; exec sleep 600' & exec sleep 600`;
  let printed = '';
  const run = runAgent({
    command: { command: '/bin/sh', args: ['-c', script], inputs: [] },
    limits: trialLimits,
    problem: {},
    onCall: () => ({ result: null }),
    onOutput: (_name, chunk) => {
      printed += chunk.toString();
    },
    clock,
    signal: new AbortController().signal,
  });
  let isOver = false;
  void run.then(() => {
    isOver = true;
  });
  await until(() => printed.endsWith('\n'));
  t.teardown(() => process.kill(Number(printed), 'SIGKILL'));
  await clock.advance(19_000);
  t.false(isOver);
  await until(async () => {
    await clock.advance(1_000);
    return isOver;
  });
  t.is((await run).reason, 'not_started');
  t.notThrows(() => process.kill(Number(printed), 0), 'which lives on');
});
