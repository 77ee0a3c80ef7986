import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const program = `
  import { parentPort } from 'node:worker_threads';
  import { getHeapSpaceStatistics } from 'node:v8';
  const kept = [];
  let most = 0;
  for (let index = 0; index < 2e6; index += 1) {
    kept.push({ index });
    if (index % 1e5 > 0) continue;
    const young = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space');
    most = Math.max(most, young.space_size);
  }
  parentPort.postMessage(most / 2 ** 20);
`;
const main = `
  import { readingThread } from ${JSON.stringify(import.meta.resolve('../../../infra/python/reading-thread.ts'))};
  const program = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(program)}));
  const thread = readingThread(program, {
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
  });
  thread.on('message', (most) => console.log(most));
`;

test('the small heap of a process is not that of the threads that read in it', async (t) => {
  const args = ['--max-semi-space-size=1', '--input-type=module', '--eval', main];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  // With the flag's limit it were 2 MB.
  t.true(Number(stdout) > 6, `${stdout} MB`);
});
