import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { withDeadline } from '../../../infra/chain/deadline.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('what is not done in its time is aborted, and says why', async (t) => {
  const clock = new ManualClock();
  let isAborted = false;
  const doing = withDeadline({ clock, timeoutMs: 3_000 }, async (signal) => {
    await once(signal, 'abort');
    isAborted = true;
    throw signal.reason;
  });
  const failure = t.throwsAsync(doing, { message: 'no answer within 3000 ms' });
  await clock.advance(2_999);
  t.false(isAborted);
  await clock.advance(1);
  await failure;
});

const server = `
  require('node:http').createServer((_, response) => response.end('told'))
    .listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port)); });`;

test('an answer that came while this process stood still is read', async (t) => {
  const child = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${port}/`;
  await (await fetch(url)).text();

  const asked = withDeadline({ clock: systemClock, timeoutMs: 2_000 }, async (signal) => {
    const answer = fetch(url, { signal });
    // It is on its way, and nothing of ours runs until long after the deadline.
    await systemClock.sleep(1);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    return await (await answer).text();
  });
  t.is(await asked, 'told');
});
