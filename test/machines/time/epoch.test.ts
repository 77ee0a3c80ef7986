import test from 'ava';
import { epochOfBlock, epochOfTime } from '../../../machines/time/epoch.ts';

test('an epoch has as many blocks as configured', (t) => {
  t.deepEqual(
    [0, 359, 360, 719, 720].map((block) => epochOfBlock(block, 360)),
    [0, 0, 1, 1, 2],
  );
  t.is(epochOfBlock(100, 10), 10);
});

test('without a chain an epoch of 360 blocks lasts 4320 seconds', (t) => {
  t.deepEqual(
    [0, 4_319_999, 4_320_000, 1_800_000_000_000].map((nowMs) => epochOfTime(nowMs, 360)),
    [0, 0, 1, 416_666],
  );
});
