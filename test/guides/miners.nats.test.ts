import test from 'ava';
import { followGuide } from './follow-guide.ts';
import { guideShell } from './guide-shell.ts';

// A service of its own processes, as the guide starts it: what a new miner types is typed here.
test('the guide for miners leads from a file to a verified race', async (t) => {
  t.timeout(300_000);
  const shell = await guideShell();
  t.teardown(() => shell.stop());

  await followGuide(t, 'miners.md', { shell, terminals: new Set() });
});
