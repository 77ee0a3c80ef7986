import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { runAgent, type ToolAnswer } from '../../../apps/validator/sandbox/run-agent.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { commandLineOf } from '../../../infra/local/process-facts.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';
import { trialLimits } from './try-sandbox.ts';

interface Played {
  readonly command?: string;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  readonly onOutput?: (chunk: string) => void;
  readonly onCall?: () => Promise<ToolAnswer>;
}

/** A script in the place of a sandbox. */
function play(
  script: string,
  { command = '/bin/sh', clock, signal, onOutput, onCall }: Played = {},
) {
  return runAgent({
    command: { command, args: ['-c', script], inputs: [] },
    limits: trialLimits,
    problem: {},
    onCall: onCall ?? (() => ({ result: null })),
    onOutput: (_name, chunk) => onOutput?.(chunk.toString()),
    clock: clock ?? systemClock,
    signal: signal ?? new AbortController().signal,
  });
}

test('a task ends although somebody whom nobody can name any more keeps its pipes', async (t) => {
  const clock = new ManualClock();
  let keeper = 0;
  t.teardown(() => keeper > 0 && process.kill(keeper, 'SIGKILL'));
  let printed = '';
  const onOutput = (chunk: string) => {
    printed += chunk;
    keeper = Number(printed);
  };
  // Like a sandbox that never begins, and leaves a process in a session of its own.
  const script = `setsid sh -c 'echo $$; exec sleep 600' & exec sleep 600`;
  const run = play(script, { clock, onOutput });
  let isOver = false;
  void run.then(() => {
    isOver = true;
  });
  await until(() => printed.endsWith('\n'));
  await clock.advance(19_000);
  t.false(isOver);
  await until(async () => {
    await clock.advance(1_000);
    return isOver;
  });
  t.is((await run).reason, 'not_started');
  t.notThrows(() => process.kill(keeper, 0), 'which lives on');
});

test('a task that is stopped while its sandbox starts ends when that has begun', async (t) => {
  const signal = AbortSignal.abort();
  const script = `sleep 0.3; echo begun; echo '{"note":"ready"}' >&3; exec sleep 600`;
  const { reason, stdoutTail } = await play(script, { signal });

  t.deepEqual({ reason, stdoutTail }, { reason: 'stopped', stdoutTail: 'begun\n' });
});

test('nobody is left in the session of a task that is over', async (t) => {
  let printed = '';
  const onOutput = (chunk: string) => {
    printed += chunk;
  };
  const script = `sleep 600 & echo $!; echo '{"note":"ready"}' >&3; exec sleep 600`;
  await play(script, { signal: AbortSignal.abort(), onOutput });

  t.true(Number(printed) > 0);
  // Empty of one as well whom nobody has reaped yet.
  await until(async () => (await commandLineOf(Number(printed))) === '');
});

test('a sandbox that dies leaves nobody behind, and its task is over', async (t) => {
  let printed = '';
  const onOutput = (chunk: string) => {
    printed += chunk;
  };
  // With the pipes in its hands, as whoever was begun by it.
  const { reason } = await play('sleep 600 & echo $!; exit 3', { onOutput });

  t.is(reason, 'not_started');
  t.true(Number(printed) > 0);
  await until(async () => (await commandLineOf(Number(printed))) === '');
});

const begin = `echo '{"note":"ready"}' >&3; read -r problem <&3`;
const finish = `echo '{"note":"finished"}' >&3`;

// Agents are told these limits, and whoever keeps to them to the last is not blamed.
test('all that a task allows may be used up', async (t) => {
  const call = `echo '{"call":"x","arguments":{}}' >&3; read -r answer <&3`;
  const calls = (count: number) =>
    `${begin}; for each in $(seq ${count}); do ${call}; done; ${finish}`;
  const prints = (bytes: number) => `${begin}; head -c ${bytes} /dev/zero | tr '\\0' x; ${finish}`;
  const { toolCalls, outputBytes } = trialLimits;

  t.is((await play(calls(toolCalls))).reason, 'finished');
  t.is((await play(calls(toolCalls + 1))).reason, 'call_limit');
  t.is((await play(prints(outputBytes))).reason, 'finished');
  t.is((await play(prints(outputBytes + 1))).reason, 'output_limit');
});

test('what is not installed is named', async (t) => {
  const { reason, detail } = await play('', { command: '/usr/bin/no-such-sandbox' });

  t.is(reason, 'not_started');
  t.regex(detail, /no-such-sandbox ENOENT/);
});

test('a sandbox for whose pipes no descriptor is left is not started, and the validator lives', async (t) => {
  const script = 'ulimit -n 64; exec "$0" "$1"';
  const file = join(import.meta.dirname, 'spawn-in-want.ts');
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, process.execPath, file]);

  const { reason, detail } = JSON.parse(stdout);
  t.is(reason, 'not_started');
  t.regex(detail, /EMFILE/);
});

const call = `echo '{"call":"ask_model","arguments":{}}' >&3`;
const note = (name: string) => `echo '{"note":"${name}"}' >&3`;

test('who calls without end while a call waits for its answer is ended', async (t) => {
  const onCall = Promise.withResolvers<ToolAnswer>();
  const script = `${note('ready')}; ${call}; exec yes '{"call":"x","arguments":{}}' >&3`;
  const { reason, detail, wallSeconds } = await play(script, { onCall: () => onCall.promise });

  t.deepEqual({ reason, detail }, { reason: 'protocol', detail: 'more calls than are answered' });
  t.true(wallSeconds < 20, `${wallSeconds}`);
});

test('of calls that wait for their answers no more is held than one may have', async (t) => {
  const onCall = Promise.withResolvers<ToolAnswer>();
  const long = `printf '{"call":"x","arguments":{"a":"%s"}}\\n' "$long" >&3`;
  const script = `long=$(head -c 2100000 /dev/zero | tr '\\0' x); ${note('ready')}; ${long}; ${long}; sleep 600`;
  const { reason, detail } = await play(script, { onCall: () => onCall.promise });

  t.deepEqual({ reason, detail }, { reason: 'protocol', detail: 'more calls than are answered' });
});

test('what the runner tells while a call waits is heard at once', async (t) => {
  const onCall = Promise.withResolvers<ToolAnswer>();
  const script = `${note('ready')}; ${call}; ${note('loaded')}; ${note('finished')}`;
  const { reason, isLoaded } = await play(script, { onCall: () => onCall.promise });

  t.deepEqual({ reason, isLoaded }, { reason: 'finished', isLoaded: true });
});

/** A task with one call, which waits for its answer while a test moves the clock. */
async function inItsCall() {
  const clock = new ManualClock();
  const answer = Promise.withResolvers<ToolAnswer>();
  const called = Promise.withResolvers<void>();
  const onCall = () => {
    called.resolve();
    return answer.promise;
  };
  const script = `${note('ready')}; read -r problem <&3; ${call}; read -r answer <&3; ${note('finished')}`;
  const run = play(script, { clock, onCall });
  await called.promise;
  return { clock, run, answer: () => answer.resolve({ result: null }) };
}

test('while the validator stands still no time of a task passes', async (t) => {
  const { clock, run, answer } = await inItsCall();

  clock.standStill(61_000);
  await clock.advance(59_000);
  answer();

  t.is((await run).reason, 'finished');
});

test('the time before and after it does', async (t) => {
  const { clock, run } = await inItsCall();

  await clock.advance(30_000);
  clock.standStill(61_000);
  await clock.advance(30_000);

  t.is((await run).reason, 'time_limit');
});

test('a call whose process is gone is not carried out', async (t) => {
  const first = Promise.withResolvers<ToolAnswer>();
  let calls = 0;
  const onCall = () => {
    calls += 1;
    return first.promise;
  };
  await play(`${note('ready')}; ${call}; ${call}`, { onCall });
  first.resolve({ result: null });
  await new Promise(setImmediate);

  t.is(calls, 1);
});
