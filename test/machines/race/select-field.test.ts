import test from 'ava';
import fc from 'fast-check';
import type { Fallback, FieldCandidate, QualificationType } from '../../../machines/race/field.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import { aCandidate, anyField, inAnyOrder, versionId } from '../../support/race-fields.ts';

const rules = { suiteId: 1, qualifyingThreshold: '0.5500' };
const older = (changes: Partial<FieldCandidate> = {}) => aCandidate(changes);
const newer = (changes: Partial<FieldCandidate> = {}) =>
  aCandidate({ agentVersionId: versionId(2), submittedAt: 2000, ...changes });

type Choice = [string, FieldCandidate[], number | null, QualificationType | null];

const choices: readonly Choice[] = [
  ['its only eligible version', [older()], 1, 'QUALIFIED'],
  ['one exactly at the threshold', [older({ qualifyingScore: '0.5500' })], 1, 'QUALIFIED'],
  ['none below the threshold', [older({ qualifyingScore: '0.5499' })], null, null],
  ['none that is still running', [older({ state: 'RUNNING' })], null, null],
  ['none without a score', [older({ qualifyingScore: null })], null, null],
  ['none that was eliminated', [older({ isEliminated: true })], null, null],
  ['none that was discarded', [older({ state: 'DISCARDED' })], null, null],
  ['none of another suite', [older({ suiteId: 2 })], null, null],
  ['none of a banned miner', [older({ isMinerBanned: true, isPinned: true })], null, null],
  [
    'the one with the better score',
    [older({ qualifyingScore: '0.6001' }), newer()],
    1,
    'QUALIFIED',
  ],
  ['the newer one of equal scores', [older(), newer()], 2, 'QUALIFIED'],
  ['the smaller id of equally old ones', [older(), newer({ submittedAt: 1000 })], 1, 'QUALIFIED'],
  ['its pin against a better score', [older({ isPinned: true }), newer()], 1, 'PINNED'],
  ['the survivor of equal scores', [older({ isSurvivor: true }), newer()], 1, 'SURVIVOR'],
  [
    'a strictly better version than the survivor',
    [older({ isSurvivor: true }), newer({ qualifyingScore: '0.6001' })],
    2,
    'QUALIFIED',
  ],
  [
    'its pin against the survivor',
    [older({ isSurvivor: true }), newer({ isPinned: true, qualifyingScore: '0.5500' })],
    2,
    'PINNED',
  ],
  [
    'a survivor below the threshold',
    [older({ isSurvivor: true, qualifyingScore: '0.1000' })],
    1,
    'SURVIVOR',
  ],
  [
    'a top below the threshold',
    [older({ isTop: true, qualifyingScore: '0.1000' })],
    1,
    'INCUMBENT_TOP',
  ],
  ['a top that survived', [older({ isTop: true, isSurvivor: true })], 1, 'INCUMBENT_TOP'],
  [
    'a top that lost its score',
    [older({ isTop: true, qualifyingScore: null })],
    1,
    'INCUMBENT_TOP',
  ],
  [
    'a pinned top',
    [older({ isTop: true, isPinned: true, qualifyingScore: '0.1000' })],
    1,
    'PINNED',
  ],
  [
    'none that survived and was discarded',
    [older({ isSurvivor: true, state: 'DISCARDED' })],
    null,
    null,
  ],
  [
    'another when its pin is below the threshold',
    [older({ isPinned: true, qualifyingScore: '0.5499' }), newer()],
    2,
    'QUALIFIED',
  ],
];

for (const [what, candidates, expected, type] of choices) {
  test(`a hotkey races ${what}`, (t) => {
    const [entrant] = selectField(candidates, rules).entrants;

    t.is(entrant?.agentVersionId ?? null, expected === null ? null : versionId(expected));
    t.is(entrant?.qualificationType ?? null, type);
  });
}

const unusable: readonly [Fallback['reason'], Partial<FieldCandidate>][] = [
  ['discarded', { state: 'DISCARDED', isEliminated: true }],
  ['superseded_suite', { suiteId: 2 }],
  ['eliminated', { isEliminated: true }],
  ['not_eligible', { state: 'RUNNING' }],
  ['below_threshold', { qualifyingScore: '0.5499' }],
];

for (const [reason, changes] of unusable) {
  test(`a pin falls back because its version is ${reason}`, (t) => {
    const { entrants, fallbacks } = selectField(
      [older({ isPinned: true, ...changes }), newer()],
      rules,
    );

    t.deepEqual(fallbacks, [{ agentVersionId: versionId(1), minerHotkey: 'miner', reason }]);
    t.deepEqual(
      entrants.map(({ agentVersionId }) => agentVersionId),
      [versionId(2)],
    );
  });
}

test('a pin that can be honoured says nothing, nor does one of a banned miner', (t) => {
  const banned = { minerHotkey: 'other', isMinerBanned: true, isEliminated: true };
  const candidates = [older({ isPinned: true }), newer({ isPinned: true, ...banned })];

  t.deepEqual(selectField(candidates, rules).fallbacks, []);
});

test('a field has one able version of each hotkey that has any, in any order', (t) => {
  const property = fc.property(inAnyOrder(anyField), ([candidates, shuffled]) => {
    const field = selectField(candidates, rules);
    t.deepEqual(selectField(shuffled, rules), field);

    const able = candidates.filter(
      (each) =>
        each.state === 'ELIGIBLE' &&
        each.suiteId === 1 &&
        !each.isEliminated &&
        !each.isMinerBanned &&
        (each.isSurvivor || each.isTop || (each.qualifyingScore ?? '') >= '0.5500'),
    );
    const hotkeys = [...new Set(able.map(({ minerHotkey }) => minerHotkey))].sort();
    t.deepEqual(
      field.entrants.map(({ minerHotkey }) => minerHotkey),
      hotkeys,
    );
    for (const { agentVersionId, minerHotkey } of field.entrants) {
      const own = able.filter((each) => each.minerHotkey === minerHotkey);
      const chosen = own.find((each) => each.agentVersionId === agentVersionId);
      const pinned = own.find(({ isPinned }) => isPinned);
      if (pinned !== undefined) t.is(chosen, pinned);
      const best = own
        .map(({ qualifyingScore }) => qualifyingScore ?? '')
        .sort()
        .at(-1);
      if (pinned === undefined) t.is(chosen?.qualifyingScore ?? '', best ?? '');
    }
  });
  t.notThrows(() => fc.assert(property));
});

test('each pin is honoured or says why not', (t) => {
  const property = fc.property(anyField, (candidates) => {
    const { entrants, fallbacks } = selectField(candidates, rules);
    const pins = candidates.filter(({ isPinned, isMinerBanned }) => isPinned && !isMinerBanned);
    const honoured = entrants.filter(({ qualificationType }) => qualificationType === 'PINNED');
    return honoured.length + fallbacks.length === pins.length;
  });
  t.notThrows(() => fc.assert(property));
});
