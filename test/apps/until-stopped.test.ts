import { EventEmitter } from 'node:events';
import test from 'ava';
import { untilStopped } from '../../apps/until-stopped.ts';

/** A process of which it is kept what it did to itself. */
class Told extends EventEmitter {
  readonly pid = 7;
  readonly kills: unknown[] = [];

  kill(pid: number, signal?: string | number): true {
    this.kills.push([pid, signal, this.listenerCount('SIGTERM')]);
    return true;
  }
}

function told() {
  const process = new Told();
  let nowMs = 1_000;
  const stopped = untilStopped(process as never, { monotonicMs: () => nowMs });
  const signal = (atMs: number, name = 'SIGTERM') => {
    nowMs = atMs;
    process.emit(name, name);
  };
  return { process, stopped, signal };
}

test('a stop that reaches the process twice is one stop', async (t) => {
  const { process, stopped, signal } = told();

  signal(5_000);
  signal(5_999);
  await stopped;

  t.deepEqual(process.kills, []);
  t.is(process.listenerCount('SIGTERM'), 1, 'who comes next must not end it by default');
});

test('whoever asks again later has it ended at once, by the signal itself', async (t) => {
  const { process, stopped, signal } = told();

  signal(5_000, 'SIGINT');
  await stopped;
  signal(6_000);

  t.deepEqual(process.kills, [[7, 'SIGTERM', 0]]);
});
