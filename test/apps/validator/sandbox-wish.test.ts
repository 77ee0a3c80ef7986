import { resolve } from 'node:path';
import test from 'ava';
import { sandboxWish } from '../../../apps/validator/sandbox-wish.ts';
import { readSettings } from '../../../apps/validator/validator-settings.ts';

const required = {
  PADDOCK_URL: 'http://127.0.0.1:1',
  VALIDATOR_KEY_FILE: 'the/key',
  VALIDATOR_DATA_DIR: 'the/data',
};
const processOf = (uid: number) => ({ ...process, getuid: () => uid }) as NodeJS.Process;

test('what a box may use is what the variables say, each in its unit', (t) => {
  const config = readSettings({
    ...required,
    VALIDATOR_TASK_SECONDS: '61',
    VALIDATOR_TASK_CPU_SECONDS: '62',
    VALIDATOR_MEMORY_MIB: '512',
    VALIDATOR_PROCESSES: '63',
    VALIDATOR_OUTPUT_BYTES: '64000',
    VALIDATOR_TOOL_CALLS: '65',
  });

  t.deepEqual(sandboxWish(config, processOf(1000)).limits, {
    ...{ wallSeconds: 61, cpuSeconds: 62, memoryBytes: 536_870_912, processes: 63 },
    ...{ outputBytes: 64_000, toolCalls: 65 },
  });
});

// In the data lie the answers of its packs, and results that are not sent yet.
test('the trial of a box tries the key and the data of its validator', (t) => {
  const { secrets } = sandboxWish(readSettings(required), processOf(1000));

  t.deepEqual(secrets, [resolve('the/key'), resolve('the/data')]);
});

test('who is root takes another user for its boxes, and nobody else can', (t) => {
  const config = readSettings(required);

  t.true(sandboxWish(config, processOf(0)).isRoot);
  t.false(sandboxWish(config, processOf(1000)).isRoot);
});
