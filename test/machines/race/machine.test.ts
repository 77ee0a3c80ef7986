import test from 'ava';
import { evolve, fold, ModelBug } from '../../../machines/kernel.ts';
import type { CompletedRace } from '../../../machines/race/complete-race.ts';
import {
  decideCancel,
  decideClose,
  decideCompletion,
  decideOpening,
  decideStart,
  isEndDue,
  nextStepOf,
  raceStatuses,
  stepDue,
} from '../../../machines/race/decide.ts';
import type { RaceFact, RaceIdentity } from '../../../machines/race/facts.ts';
import type { Entrant } from '../../../machines/race/field.ts';
import { race } from '../../../machines/race/machine.ts';
import { asTold } from '../../../machines/reasons/codes.ts';
import { aPolicy } from '../../support/race-fields.ts';

const identity: RaceIdentity = {
  raceId: 'race-9',
  suiteId: 1,
  raceNumber: 9,
  policyVersion: 0,
  policy: { ...aPolicy, raceLimitMs: 500, embargoMs: 50 },
  openedAt: 0,
  closesAt: 1000,
};
const entrant: Entrant = {
  agentVersionId: 'version',
  minerHotkey: 'miner',
  qualificationType: 'QUALIFIED',
  qualifyingScore: '0.6000',
};
const results = {
  kind: 'complete',
  winner: { agentVersionId: 'version', score: '0.6000' },
  top: { kind: 'promoted', agentVersionId: 'version', score: '0.6000', endsReignOf: null },
} as CompletedRace;

const opened: RaceFact = { type: 'RACE_OPENED', race: identity };
const closed: RaceFact = { type: 'QUALIFYING_CLOSED', at: 1000, entrantIds: ['version'] };
const started: RaceFact = { type: 'RACE_STARTED', at: 1010, deadlineAt: 1510 };
const completed: RaceFact = {
  ...{ type: 'RACE_COMPLETED', at: 1200, releasedAt: 1250 },
  ...{ winnerId: 'version', promotedId: 'version' },
};
const cancelled: RaceFact = { type: 'RACE_CANCELLED', at: 1200, reason: asTold('because') };
const lives: readonly (readonly RaceFact[])[] = [
  [],
  [opened],
  [opened, closed],
  [opened, closed, started],
  [opened, closed, started, completed],
  [opened, cancelled],
];
const [unopened, open, locked, running, complete, gone] = lives.map((facts) => fold(race, facts));
if (!unopened || !open || !locked || !running || !complete || !gone) throw new Error('six lives');

test('a race goes forward only, from its opening to its end', (t) => {
  const facts = [opened, closed, started, completed, cancelled];
  const legal = lives.map((life) =>
    facts.filter((fact) => {
      try {
        return evolve(race, fold(race, life), fact) !== undefined;
      } catch (error) {
        if (error instanceof ModelBug) return false;
        throw error;
      }
    }),
  );

  t.deepEqual(legal, [
    [opened],
    [closed, cancelled],
    [started, cancelled],
    [completed, cancelled],
    [],
    [],
  ]);
});

test('a race is in the states of the contract', (t) => {
  t.deepEqual(
    [open, locked, running, complete, gone].map(({ value }) => raceStatuses[value]),
    ['QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING', 'RACE_COMPLETE', 'RACE_CANCELLED'],
  );
});

test('the clock closes a race at its hour, starts it at once, and ends it at its limit', (t) => {
  t.deepEqual(nextStepOf(open), { step: 'close', atMs: 1000 });
  t.deepEqual(nextStepOf(locked), { step: 'start', atMs: 1000 });
  t.deepEqual(nextStepOf(running), { step: 'complete', atMs: 1510 });
  t.deepEqual([unopened, complete, gone].map(nextStepOf), [null, null, null]);
});

test('a race that runs is due when its work is done, or its time is over', (t) => {
  t.is(stepDue(open, 999), null);
  t.is(stepDue(open, 1000), 'close');
  t.is(stepDue(locked, 1000), 'start');
  t.is(stepDue(running, 1509), null);
  t.is(stepDue(running, 1510), 'complete');
  t.is(stepDue(complete, 9999), null);
});

const nothing = {
  ...{ awaitsWork: false, awaitsExclusions: false, isOrderOnItsWay: false },
  servedSinceMs: 0,
};

test('a race ends early once nothing is awaited, and only while it runs', (t) => {
  t.true(isEndDue(running, 1011, nothing));
  for (const each of [unopened, open, locked, complete]) t.false(isEndDue(each, 9999, nothing));
  for (const awaited of ['awaitsWork', 'awaitsExclusions', 'isOrderOnItsWay']) {
    t.false(isEndDue(running, 1509, { ...nothing, [awaited]: true }), awaited);
  }
});

for (const [what, awaited, fromMs] of [
  ['for work not at all', { awaitsWork: true }, 1510],
  ['for exclusions a minute', { awaitsExclusions: true }, 61_510],
  ['for an order ten', { awaitsWork: true, isOrderOnItsWay: true }, 601_510],
  [
    'with an owner that came back then for another',
    { isOrderOnItsWay: true, servedSinceMs: 601_509 },
    661_509,
  ],
  [
    'with one that came back, without an order, no longer',
    { awaitsWork: true, servedSinceMs: 1509 },
    1510,
  ],
] as const) {
  test(`at its limit a race waits ${what}`, (t) => {
    const awaits = { ...nothing, ...awaited };
    t.false(isEndDue(running, fromMs - 1, awaits));
    t.true(isEndDue(running, fromMs, awaits));
  });
}

test('each step is made once', (t) => {
  t.deepEqual(decideOpening(unopened, identity), [opened]);
  t.deepEqual(decideOpening(open, identity), []);
  t.deepEqual(decideClose(open, [entrant], 1000), [closed]);
  t.deepEqual(decideClose(locked, [entrant], 1001), []);
  t.deepEqual(decideStart(locked, 1010), [started]);
  t.deepEqual(decideStart(running, 1011), []);
  t.deepEqual(decideCompletion(running, results, 1200), [completed]);
  t.deepEqual(decideCompletion(complete, results, 1201), []);
});

test('a race is cancelled without an entrant, without a finisher, or by order, until it is over', (t) => {
  const ends = [
    fold(race, decideClose(open, [], 1000), open),
    fold(race, decideCompletion(running, { kind: 'no-finisher' }, 1200), running),
    ...[open, locked, running].map((each) =>
      fold(race, decideCancel(each, asTold('because'), 1200), each),
    ),
  ];

  t.true(ends.every(({ value }) => value === 'raceCancelled'));
  t.deepEqual(
    ends.map(({ context }) => context.cancelReason),
    ['NO_ENTRANT', 'NO_FINISHER', 'because', 'because', 'because'],
  );
  t.is(ends[0]?.context.closedAt, 1000);
  t.deepEqual(
    [unopened, complete, gone].map((each) => decideCancel(each, asTold('because'), 1300)),
    [[], [], []],
  );
});

test('a complete race remembers when it is released and who was promoted', (t) => {
  const { endedAt, releasedAt, winnerId, promotedId, entrantIds } = complete.context;

  t.deepEqual([endedAt, releasedAt], [1200, 1250]);
  t.deepEqual([winnerId, promotedId, entrantIds], ['version', 'version', ['version']]);
});
