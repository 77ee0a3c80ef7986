import test from 'ava';
import fc from 'fast-check';
import { betterHalf, meanOfRuns, overall, tt } from '../../../apps/verify/live/race-arithmetic.ts';
import { unitsPerRace } from '../../../machines/emission/split.ts';
import { type CompletedRace, completeRace } from '../../../machines/race/complete-race.ts';
import type { EntrantWork, RaceInputs } from '../../../machines/race/field.ts';
import type { RacePolicy } from '../../../machines/race/policy.ts';
import { anyInputs, anyPolicy, aPolicy, raceEndMs, versionId } from '../../support/race-fields.ts';

const success = (scoreMicro: number, validatorHotkey = 'a') => ({
  ...{ evalRunId: validatorHotkey, validatorHotkey, status: 'SUCCESS', isIncluded: true },
  ...{ scoreMicro, faultClass: null },
});
const failure = (faultClass: string) => ({
  ...{ evalRunId: 'f', validatorHotkey: 'f', status: 'FAILED', isIncluded: false },
  ...{ scoreMicro: null, faultClass },
});

/** An entrant whose two validators agree. */
function racer(index: number, scoreMicro: number, changes: Partial<EntrantWork> = {}): EntrantWork {
  return {
    agentVersionId: versionId(index),
    minerHotkey: `miner-${index}`,
    isDiscarded: false,
    isMinerBanned: false,
    runs: [success(scoreMicro, 'a'), success(scoreMicro, 'b')],
    ...changes,
  };
}

const inputsOf = (
  entrants: readonly EntrantWork[],
  changes: Partial<RaceInputs> = {},
): RaceInputs => ({ raceId: 'race-9', raceNumber: 9, entrants, window: [], top: null, ...changes });

function completed(inputs: RaceInputs, policy: RacePolicy = aPolicy): CompletedRace {
  const results = completeRace(inputs, policy, raceEndMs);
  if (results.kind !== 'complete') throw new Error('nobody finished');
  return results;
}

const resultOf = (results: CompletedRace, index: number) =>
  results.entrants.find(({ agentVersionId }) => agentVersionId === versionId(index));

test('six finishers have the anchor, ranks, elimination and money of the rules', (t) => {
  const scores = [600_000, 550_000, 500_000, 450_000, 400_000, 350_000];
  const results = completed(inputsOf(scores.map((score, index) => racer(index, score))));

  t.is(results.anchor, '0.5500');
  t.is(results.std, '0.0408');
  // 0.55 + (0.60 − 0.55) ÷ 3
  t.deepEqual(results.winner, { agentVersionId: versionId(0), score: '0.5667' });
  t.deepEqual(
    results.entrants.map(({ rank, isEliminated }) => [rank, isEliminated]),
    [
      [1, false],
      [2, false],
      [3, false],
      [4, true],
      [5, true],
      [6, true],
    ],
  );
  t.is(results.top.kind, 'promoted');
  t.deepEqual(
    results.emission.map(({ seat, minerHotkey, weight }) => [seat, minerHotkey, weight]),
    [
      ['BURN', null, '0'],
      ['TOP', 'miner-0', '65535'],
      ['TAIL', 'miner-1', '2'],
      ['TAIL', 'miner-2', '1'],
    ],
  );
});

test('a race score is the mean of the included successes, with its interval', (t) => {
  const runs = [success(488_900, 'a'), success(478_000, 'b')];
  const excluded = { ...success(0, 'c'), isIncluded: false };

  const result = resultOf(completed(inputsOf([racer(0, 0, { runs: [...runs, excluded] })])), 0);

  t.is(result?.rawScore, '0.4834');
  t.true((result?.scoreLow ?? '') < '0.4834' && (result?.scoreHigh ?? '') > '0.4834');
});

test('the window is this race and the two before it', (t) => {
  const past = (raceNumber: number, anchor: string, own: string) => ({
    ...{ raceId: `race-${raceNumber}`, raceNumber, anchor },
    rawScores: { [versionId(0)]: own },
  });
  const window = [past(7, '0.4600', '0.4100'), past(8, '0.4500', '0.5200')];

  const results = completed(inputsOf([racer(0, 500_000), racer(1, 0)], { window }));

  t.is(results.anchor, '0.5000');
  const own = resultOf(results, 0);
  // 0.5000 + (0 + 0.07 − 0.05) ÷ 3
  t.is(own?.weightedScore, '0.5067');
  t.deepEqual(
    own?.window?.map(({ raceNumber, delta, isSeed }) => [raceNumber, delta, isSeed]),
    [
      [9, '0.0000', false],
      [8, '0.0700', false],
      [7, '-0.0500', false],
    ],
  );
  t.deepEqual(
    resultOf(results, 1)?.window?.map(({ isSeed }) => isSeed),
    [false, true, true],
  );
});

test('equals are ranked by raw score, then by id', (t) => {
  const results = completed(inputsOf([racer(2, 500_000), racer(1, 500_000), racer(3, 500_000)]));

  t.deepEqual(
    results.entrants.map(({ agentVersionId, isEliminated }) => [agentVersionId, isEliminated]),
    [
      [versionId(1), false],
      [versionId(2), false],
      [versionId(3), true],
    ],
  );
});

test('a sole finisher wins, is promoted and is not eliminated', (t) => {
  const results = completed(inputsOf([racer(0, 0)]));

  t.is(results.winner.score, '0.0000');
  t.is(results.top.kind, 'promoted');
  t.false(results.entrants[0]?.isEliminated);
});

const unfinished: readonly [string, boolean, Partial<EntrantWork>][] = [
  ['DISCARDED', true, { isDiscarded: true, isMinerBanned: true }],
  ['BANNED', true, { isMinerBanned: true }],
  ['AGENT_FAULT', true, { runs: [success(500_000), failure('AGENT')] }],
  ['AGENT_FAULT', true, { runs: [failure('INTEGRITY')] }],
  ['NOT_FINISHED', false, { runs: [success(500_000), failure('PLATFORM')] }],
  ['NOT_FINISHED', false, { runs: [] }],
];

for (const [reason, goes, changes] of unfinished) {
  const runs = (changes.runs ?? []).map(({ faultClass }) => faultClass ?? 'a success').join(', ');
  test(`${reason} (${runs}) ${goes ? 'ends' : 'does not end'} an entrant's races`, (t) => {
    const results = completed(inputsOf([racer(0, 500_000), racer(1, 900_000, changes)]));
    const own = resultOf(results, 1);

    t.is(own?.unfinishedReason, reason as never);
    t.is(own?.isEliminated, goes);
    t.deepEqual(
      [own?.rawScore, own?.weightedScore, own?.rank, own?.window],
      [null, null, null, null],
    );
    t.is(results.winner.agentVersionId, versionId(0));
  });
}

test('the top is not eliminated, also when it failed', (t) => {
  const runs = [failure('AGENT')];
  const top = {
    ...{ agentVersionId: versionId(1), minerHotkey: 'miner-1', score: '0.9000', topAt: 0 },
  };

  const results = completed(inputsOf([racer(0, 100_000), racer(1, 0, { runs })], { top }));

  t.false(resultOf(results, 1)?.isEliminated);
  t.is(results.top.kind, 'kept');
  t.is(results.emission.find(({ seat }) => seat === 'TOP')?.minerHotkey, 'miner-1');
});

test('a race without a finisher is no race', (t) => {
  const entrants = [racer(0, 1, { isDiscarded: true }), racer(1, 1, { runs: [success(1)] })];

  t.deepEqual(completeRace(inputsOf(entrants), aPolicy, raceEndMs), { kind: 'no-finisher' });
});

test('a top without a share is left out of the tail of its own hotkey', (t) => {
  const top = { agentVersionId: 'old', minerHotkey: 'miner-1', score: '0.9000', topAt: 0 };

  const { emission } = completed(inputsOf([racer(0, 500_000), racer(1, 500_000)], { top }), {
    ...aPolicy,
    eliminationShareMicro: 0,
  });

  t.deepEqual(
    emission.map(({ seat, minerHotkey }) => [seat, minerHotkey]),
    [
      ['BURN', null],
      ['TOP', 'miner-1'],
      ['TAIL', 'miner-0'],
    ],
  );
});

/** The same rows in another order, several times over. */
const scrambled = fc.tuple(anyInputs, anyPolicy, fc.infiniteStream(fc.nat(1000)));

test('results do not depend on the order of any rows', (t) => {
  const property = fc.property(scrambled, ([inputs, policy, dice]) => {
    const shuffle = <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, at: dice.next().value }))
        .sort((left, right) => left.at - right.at)
        .map(({ item }) => item);
    const other = {
      ...inputs,
      window: shuffle(inputs.window),
      entrants: shuffle(inputs.entrants).map((each) => ({ ...each, runs: shuffle(each.runs) })),
    };
    t.deepEqual(completeRace(other, policy, raceEndMs), completeRace(inputs, policy, raceEndMs));
  });
  t.notThrows(() => fc.assert(property));
});

test('every race adds up, and agrees with another computation of it', (t) => {
  const property = fc.property(anyInputs, anyPolicy, (inputs, policy) => {
    const results = completeRace(inputs, policy, raceEndMs);
    if (results.kind === 'no-finisher') return;
    const finishers = results.entrants.filter(({ rawScore }) => rawScore !== null);
    t.is(results.entrants.length, inputs.entrants.length);
    t.deepEqual(
      finishers.map(({ rank }) => rank),
      finishers.map((_, index) => index + 1),
    );

    const raw = (id: string) => {
      const { runs } = inputs.entrants.find(({ agentVersionId }) => agentVersionId === id) ?? {};
      return meanOfRuns(
        (runs ?? []).flatMap((run) => (run.isIncluded ? [run.scoreMicro ?? 0] : [])),
      );
    };
    const anchor = betterHalf(finishers.map(({ agentVersionId }) => raw(agentVersionId))).mean;
    t.is(tt(results.anchor), anchor);
    for (const { agentVersionId: id, weightedScore } of finishers) {
      const past = inputs.window.map((race) => {
        const score = race.rawScores[id];
        return { anchor: tt(race.anchor), raw: score === undefined ? undefined : tt(score) };
      });
      const slots = [{ anchor, raw: raw(id) }, ...past].slice(0, policy.windowRaces);
      t.is(signed(weightedScore), overall(slots, policy.windowRaces));
    }
  });
  t.notThrows(() => fc.assert(property));
});

// The store lists no others: a provider that is away makes a hundred thousand of them.
test('a failure that is not the agent’s, and what became of no result, have no say', (t) => {
  const property = fc.property(anyInputs, anyPolicy, (inputs, policy) => {
    const entrants = inputs.entrants.map((entrant) => ({
      ...entrant,
      runs: entrant.runs.filter(
        ({ status, faultClass }) =>
          status === 'SUCCESS' || faultClass === 'AGENT' || faultClass === 'INTEGRITY',
      ),
    }));
    t.deepEqual(
      completeRace({ ...inputs, entrants }, policy, raceEndMs),
      completeRace(inputs, policy, raceEndMs),
    );
  });
  t.notThrows(() => fc.assert(property));
});

test('neither winner nor top is eliminated, and nobody who could not help it', (t) => {
  const property = fc.property(anyInputs, anyPolicy, (inputs, policy) => {
    const results = completeRace(inputs, policy, raceEndMs);
    if (results.kind === 'no-finisher') return true;
    const spared = [results.winner.agentVersionId, inputs.top?.agentVersionId];
    const gone = results.entrants.filter(({ isEliminated }) => isEliminated);
    const finishers = results.entrants.filter(({ rawScore }) => rawScore !== null);
    const most = Math.floor((finishers.length * policy.eliminationShareMicro) / 1_000_000);
    return (
      gone.every(({ agentVersionId }) => !spared.includes(agentVersionId)) &&
      gone.every(({ unfinishedReason }) => unfinishedReason !== 'NOT_FINISHED') &&
      gone.filter(({ rawScore }) => rawScore !== null).length <= most
    );
  });
  t.notThrows(() => fc.assert(property));
});

test('the money of a race is all of it, and goes to the top and its survivors alone', (t) => {
  const property = fc.property(anyInputs, anyPolicy, (inputs, policy) => {
    const results = completeRace(inputs, policy, raceEndMs);
    if (results.kind === 'no-finisher') return;
    const { emission, entrants, top } = results;
    t.is(
      emission.reduce((sum, { units }) => sum + BigInt(units), 0n),
      unitsPerRace,
    );
    t.true(emission.every(({ units }) => BigInt(units) >= 0n));
    const hotkeys = emission.flatMap(({ minerHotkey }) => minerHotkey ?? []);
    t.is(new Set(hotkeys).size, hotkeys.length);
    t.is(emission.find(({ seat }) => seat === 'TOP')?.minerHotkey, top.minerHotkey);
    const survivors = entrants
      .filter(({ rawScore, isEliminated }) => rawScore !== null && !isEliminated)
      .filter(({ minerHotkey }) => minerHotkey !== top.minerHotkey);
    t.is(emission.filter(({ seat }) => seat === 'TAIL').length, survivors.length);
  });
  t.notThrows(() => fc.assert(property));
});

function signed(text: string | null): bigint {
  return BigInt((text ?? '').replace('.', ''));
}
