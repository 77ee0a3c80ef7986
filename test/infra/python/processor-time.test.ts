import test from 'ava';
import { faultOf } from '../../../apps/outage.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { AnalyserOverloaded } from '../../../infra/ports/code-analysis.ts';
import { processorTimeSpent } from '../../../infra/python/processor-time.ts';

/** A thread that gets this share of a processor, as Linux would count it. */
function threadWith(share: number) {
  const startedAt = performance.now();
  const cpuUsage = () =>
    Promise.resolve({ user: (performance.now() - startedAt) * 1000 * share, system: 0 });
  return { cpuUsage: async (before?: { user: number }) => minus(await cpuUsage(), before?.user) };
}

const minus = ({ user }: { user: number }, before = 0) => ({ user: user - before, system: 0 });

const outcome = (share: number, signal = new AbortController().signal) =>
  processorTimeSpent(threadWith(share), { limitMs: 30, clock: systemClock, signal }, () => {});

test('a thread that used its time undisturbed spent it', async (t) => {
  t.is(await outcome(1), 'spent');
});

test('a thread that had to share its processor was disturbed', async (t) => {
  t.is(await outcome(0.3), 'disturbed');
});

test('a thread that says nothing of its time is ended by the wall clock as spent', async (t) => {
  t.is(await outcome(0), 'spent');
});

test('a thread that answered spent nothing', async (t) => {
  const answered = new AbortController();
  const asked = outcome(0.001, answered.signal);
  answered.abort();

  t.is(await asked, 'answered');
});

test('a file whose thread was disturbed is asked for again and not called hostile', (t) => {
  t.is(faultOf(new AnalyserOverloaded()).code, 'OVERLOADED');
});
