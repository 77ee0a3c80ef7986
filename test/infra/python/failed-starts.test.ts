import { readFile } from 'node:fs/promises';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createAnalysisLane } from '../../../infra/python/analysis-lane.ts';
import { keepRuffCompiled } from '../../../infra/python/compiled-ruff.ts';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';

const honest = Buffer.from('x = 1\n');
const forbidden = Buffer.from('eval("1")\n');

/** No process of ours can be started meanwhile. */
async function withoutProcesses<T>(job: () => Promise<T>): Promise<T> {
  const { execPath } = process;
  process.execPath = '/nowhere/node';
  try {
    return await job();
  } finally {
    process.execPath = execPath;
  }
}

test.serial('a parser that could not be read once is read with the next file', async (t) => {
  const tooMany = Object.assign(new Error('too many open files'), { code: 'EMFILE' });

  await t.throwsAsync(
    keepRuffCompiled(() => Promise.reject(tooMany)),
    { is: tooMany },
  );

  await t.notThrowsAsync(keepRuffCompiled(readFile));
});

// Its thread was still reading when CPython could not be started, and told the next caller what it found.
test.serial('of a file that was not judged nothing is said of the next one', async (t) => {
  // A bound of its own: CPython is shared by those with the same one.
  const analyser = createCodeAnalyser({ deadlineMs: 20_001 });
  t.teardown(() => analyser.stop());

  await withoutProcesses(async () => {
    const error = await t.throwsAsync(analyser.analyse(honest));
    t.regex(error?.message ?? '', /CPython does not start/);
  });

  t.is((await analyser.analyse(forbidden)).kind, 'violations');
  t.is((await analyser.analyse(honest)).kind, 'clean');
});

test.serial('a thread takes no second file while it reads one', async (t) => {
  const profile = { agentPackages: [], entryPoint: undefined, productIdPattern: undefined };
  const lane = createAnalysisLane({ deadlineMs: 20_000, profile, clock: systemClock });
  t.teardown(() => lane.stop());

  const first = lane.run(honest);
  await t.throwsAsync(lane.run(forbidden), { message: /one file at a time/ });

  t.like(await first, { kind: 'judged', verdict: { kind: 'clean' } });
  t.like(await lane.run(forbidden), { kind: 'judged', verdict: { kind: 'violations' } });
});
