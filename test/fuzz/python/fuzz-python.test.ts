import test from 'ava';
import { fuzzPython } from './fuzz-python.ts';
import { sampleFiles } from './samples.ts';

test('what we read of a file is what CPython would run', async (t) => {
  t.timeout(300_000);
  const report = await fuzzPython({
    ...{ seed: 11, count: sampleFiles.length + 60, samples: sampleFiles },
  });

  t.deepEqual(report.differences, []);
  t.true(report.compiled > sampleFiles.length, `${report.compiled} compiled`);
  t.true(report.compiled < report.files - 10, `${report.files - report.compiled} refused`);
});
