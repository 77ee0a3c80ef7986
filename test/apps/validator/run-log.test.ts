import test from 'ava';
import { Printed, printedBytesMax } from '../../../apps/validator/run/printed.ts';
import { RunLog } from '../../../apps/validator/run/run-log.ts';
import type { Ending } from '../../../apps/validator/sandbox/ending.ts';

function printedOf(stdout: string, stderr = ''): Printed {
  const printed = new Printed();
  printed.take('stdout', Buffer.from(stdout));
  printed.take('stderr', Buffer.from(stderr));
  return printed;
}

function taskOf(taskId: string, more: Partial<Ending> = {}) {
  const ending: Ending = {
    ...{ reason: 'finished', detail: '', exitCode: 0, isLoaded: true, wallSeconds: 0.5 },
    ...{ stdoutTail: '', stderrTail: '' },
    ...more,
  };
  return { taskId, family: 'mugs', ending };
}

test('a log tells of each task how it ended and what was printed', (t) => {
  const log = new RunLog(undefined);
  log.add(taskOf('t-1'), printedOf('one\n', 'two'));
  log.add(taskOf('t-2', { reason: 'raised', detail: 'E: a\nb', exitCode: 1 }), printedOf(''));

  t.is(
    log.text,
    `=== task t-1 (mugs): finished after 0.500 s, exit code 0
--- standard output
one
--- standard error
two
=== task t-2 (mugs): raised after 0.500 s, exit code 1: E: a b
`,
  );
});

test('a log never holds more of a stream than its end, in whatever pieces it came', (t) => {
  // A byte at a time took the validator minutes, in which its heartbeats waited.
  for (const pieceBytes of [1, 1_000, printedBytesMax - 1, printedBytesMax, 3 * printedBytesMax]) {
    const printed = new Printed();
    const all = Buffer.concat([Buffer.alloc(3 * printedBytesMax, 'x'), Buffer.from('end\n')]);
    for (let at = 0; at < all.length; at += pieceBytes) {
      printed.take('stdout', all.subarray(at, at + pieceBytes));
    }
    const { text, leftOutBytes } = printed.endOf('stdout');

    t.is(text.length, printedBytesMax);
    t.true(text.endsWith('xend\n'));
    t.is(leftOutBytes, all.length - printedBytesMax);
  }
});

test('a log that is full still tells how each further task ended', (t) => {
  const log = new RunLog(undefined, 100);
  log.add(taskOf('t-1'), printedOf('x'.repeat(200)));
  log.add(taskOf('t-2'), printedOf('y'.repeat(200)));

  t.notRegex(log.text, /xx|yy/);
  t.is(
    [
      ...log.text.matchAll(
        /^\[\d+ bytes are left out: the log of this run has no room for them\]$/gm,
      ),
    ].length,
    2,
  );
  t.regex(log.text, /^=== task t-2 \(mugs\): finished/m);
});

test('a log holds no token of its run, and no word of the machine', (t) => {
  const log = new RunLog('token-of-the-run');
  log.add(taskOf('t-0', { reason: 'raised', detail: 'E: token-of-the-run' }), printedOf(''));
  log.add(taskOf('t-1'), printedOf('it said: token-of-the-run.\nand token-of-the-run\n'));
  log.add(
    taskOf('t-2', { reason: 'not_started', detail: 'no such file: /home/us/python' }),
    printedOf('', 'bwrap: cannot bind /home/us'),
  );
  log.add(
    taskOf('t-3', { reason: 'tools_failed', detail: 'ENOENT /home/us' }),
    printedOf('mine\n'),
  );

  t.regex(log.text, /^it said: \[a secret\]\.$/m);
  t.regex(log.text, /^mine$/m);
  t.notRegex(log.text, /token-of-the-run|home/);
});
