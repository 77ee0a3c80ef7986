import test from 'ava';
import { fold } from '../../machines/kernel.ts';
import {
  decideExclusion,
  decideInclusion,
  decideLeaseEnd,
  isClaimable,
} from '../../machines/work-item/decide.ts';
import type { WorkFact } from '../../machines/work-item/facts.ts';
import { workItem } from '../../machines/work-item/machine.ts';
import { pauseMs, runsAtLongestPause } from '../../machines/work-item/pause.ts';
import { evalPolicy } from '../support/eval-world.ts';

const opened: WorkFact = {
  type: 'OPENED',
  work: {
    workItemId: 'item',
    agentVersionId: 'version',
    suiteId: 1,
    phase: 'QUALIFYING',
    raceId: null,
    minerHotkey: 'miner',
    minerColdkey: 'cold',
    requiredSuccesses: 2,
    queuedAt: 0,
  },
};
const leased = (validatorHotkey: string, fence = 1): WorkFact => ({
  type: 'LEASED',
  evalRunId: `run-${validatorHotkey}`,
  validatorHotkey,
  fence,
});
const included = (validatorHotkey: string): WorkFact => ({
  type: 'SUCCESS_INCLUDED',
  evalRunId: `run-${validatorHotkey}`,
  validatorHotkey,
  scoreMicro: 1,
});

const offers: [string, WorkFact[], string, string | null, boolean][] = [
  ['fresh work', [], 'val', null, true],
  ['work with a free slot', [leased('other')], 'val', null, true],
  ['work that it holds', [leased('val')], 'val', null, false],
  ['work that it evaluated', [leased('val'), included('val')], 'val', null, false],
  ['work without a free slot', [leased('a'), leased('b', 2)], 'val', null, false],
  ['its own version', [], 'miner', null, false],
  ['a version of its coldkey', [], 'val', 'cold', false],
  ['work of a banned miner', [{ type: 'MINER_BANNED' }], 'val', null, false],
  [
    'work that is held',
    [{ type: 'HELD', until: 1001, reason: 'REPEATED_FAILURES' }],
    'val',
    null,
    false,
  ],
  [
    'work whose hold just ended',
    [{ type: 'HELD', until: 1000, reason: 'REPEATED_FAILURES' }],
    'val',
    null,
    true,
  ],
  [
    'cancelled work',
    [{ type: 'WORK_CANCELLED', at: 1, reason: 'VERSION_DISCARDED' }],
    'val',
    null,
    false,
  ],
];

for (const [what, facts, validatorHotkey, validatorColdkey, expected] of offers) {
  test(`a validator is ${expected ? '' : 'not '}offered ${what}`, (t) => {
    const item = fold(workItem, [opened, ...facts]);

    t.is(isClaimable(item, { validatorHotkey, validatorColdkey }, 1000), expected);
  });
}

test('a validator is not offered work of a miner whom its coldkey owns by now', (t) => {
  const item = fold(workItem, [opened]);
  const claimer = { validatorHotkey: 'val', validatorColdkey: 'cold-of-now' };
  const owning = (ownedHotkeys: string[]) => isClaimable(item, { ...claimer, ownedHotkeys }, 1000);

  t.false(owning(['val', item.context.minerHotkey]));
  t.true(owning(['val']));
});

test('the fifth failure holds work for a minute, each later one twice as long, to half an hour', (t) => {
  const holds: number[] = [];
  let facts: WorkFact[] = [opened];
  for (let count = 1; count <= 12; count += 1) {
    facts = [...facts, leased('val', count)];
    const ended = { evalRunId: 'run-val', isTrouble: true, hadInVain: null, nowMs: 0 };
    const more = decideLeaseEnd(fold(workItem, facts), ended, evalPolicy);
    const held = more.find((fact) => fact.type === 'HELD');
    holds.push(held?.type === 'HELD' ? held.until / 60_000 : 0);
    facts = [...facts, ...more];
  }

  t.deepEqual(holds, [0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30]);
});

test('the last required success closes work, and its exclusion opens it again', (t) => {
  const one = fold(workItem, [opened, leased('a'), included('a'), leased('b', 2)]);
  const success = { evalRunId: 'run-b', validatorHotkey: 'b', scoreMicro: 2, isPartial: false };
  const closed = fold(workItem, decideInclusion(one, success, 5), one);

  const reopened = fold(workItem, decideExclusion(closed, 'run-a', 'VALIDATOR_BANNED'), closed);

  t.is(closed.value, 'closed');
  t.is(closed.context.closedAt, 5);
  t.is(reopened.value, 'open');
  t.deepEqual(
    reopened.context.included.map(({ validatorHotkey }) => validatorHotkey),
    ['b'],
  );
  t.is(reopened.context.nextFence, 3);
});

test('a hold ends with the work that it held, and an exclusion brings none back', (t) => {
  const held: WorkFact = { type: 'HELD', until: 1_000, reason: 'REPEATED_FAILURES' };
  const one = fold(workItem, [opened, leased('a'), included('a'), leased('b', 2), held]);
  const success = { evalRunId: 'run-b', validatorHotkey: 'b', scoreMicro: 2, isPartial: false };
  const closed = fold(workItem, decideInclusion(one, success, 5), one);

  const reopened = fold(workItem, decideExclusion(closed, 'run-a', 'VALIDATOR_BANNED'), closed);

  t.is(reopened.value, 'open');
  t.true(isClaimable(reopened, { validatorHotkey: 'c', validatorColdkey: null }, 6));
});

test('cancelled work that opens again keeps its successes and its fence', (t) => {
  const cancelled = fold(workItem, [
    opened,
    leased('a'),
    included('a'),
    { type: 'WORK_CANCELLED', at: 5, reason: 'VERSION_DISCARDED' },
  ]);

  const again = fold(workItem, [{ type: 'REOPENED', reason: 'VERSION_REINSTATED' }], cancelled);

  t.is(again.value, 'open');
  t.like(again.context, { closedAt: null, closeReason: null, nextFence: 2 });
  t.true(isClaimable(again, { validatorHotkey: 'b', validatorColdkey: null }, 6));
  t.false(isClaimable(again, { validatorHotkey: 'a', validatorColdkey: null }, 6));
});

test('a pause doubles up to a day, and no further than a minute for work that a race ends', (t) => {
  const judged = {
    rejudgingId: 're',
    evalRunId: 'run',
    workItemId: 'item',
    validatorHotkey: 'val',
  };
  const minutes = (runs: number, phase: 'QUALIFYING' | 'RACE', rejudges: typeof judged | null) =>
    pauseMs(runs, { phase, rejudges }) / 60_000;

  t.is(runsAtLongestPause, 14);
  const counts = [2, 3, 4, 13, 14, 1_000];
  const doubled = [0, 1, 2, 1_024, 1_440, 1_440];
  t.deepEqual(
    counts.map((runs) => minutes(runs, 'QUALIFYING', null)),
    doubled,
  );
  t.deepEqual(
    counts.map((runs) => minutes(runs, 'RACE', judged)),
    doubled,
  );
  t.deepEqual(
    counts.map((runs) => minutes(runs, 'RACE', null)),
    [0, 1, 1, 1, 1, 1],
  );
});
