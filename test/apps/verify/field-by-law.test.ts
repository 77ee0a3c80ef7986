import test from 'ava';
import fc from 'fast-check';
import { fieldByLaw } from '../../../apps/verify/live/field-by-law.ts';
import type { FieldCandidate } from '../../../machines/race/field.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import { aCandidate, anyField, versionId } from '../../support/race-fields.ts';

const rules = { suiteId: 1, qualifyingThreshold: '0.5500' };
const scored = (qualifyingScore: string | null, changes: Partial<FieldCandidate> = {}) =>
  aCandidate({ qualifyingScore, ...changes });
const second = { agentVersionId: versionId(2) };
const later = { ...second, submittedAt: 2000 };

/** What the law says, a hotkey, and which version of it races as what. */
const sayings: readonly [string, readonly FieldCandidate[], string][] = [
  ['at the threshold', [scored('0.5500')], '1 QUALIFIED'],
  ['below the threshold', [scored('0.5499')], 'none'],
  ['the highest score', [scored('0.7000'), scored('0.6999', later)], '1 QUALIFIED'],
  ['ties: newer version', [scored('0.6000'), scored('0.6000', later)], '2 QUALIFIED'],
  ['then smaller id', [scored('0.6000', second), scored('0.6000')], '1 QUALIFIED'],
  ['a valid pin', [scored('0.5500', { isPinned: true }), scored('0.9000', later)], '1 PINNED'],
  [
    'an unusable pin falls back and says why',
    [scored('0.5499', { isPinned: true }), scored('0.9000', later)],
    '2 QUALIFIED, 1 below_threshold',
  ],
  ['a survivor is entered', [scored('0.1000', { isSurvivor: true })], '1 SURVIVOR'],
  ['the top is entered', [scored(null, { isTop: true, isSurvivor: true })], '1 INCUMBENT_TOP'],
  [
    'replaced by a better version',
    [scored('0.6000', { isTop: true }), scored('0.6001', later)],
    '2 QUALIFIED',
  ],
  ['by no other', [scored('0.6000', { isSurvivor: true }), scored('0.6000', later)], '1 SURVIVOR'],
  [
    'nor by one that is better, but below the threshold',
    [scored('0.1000', { isSurvivor: true }), scored('0.5499', later)],
    '1 SURVIVOR',
  ],
  [
    'an eliminated version never races again',
    [scored('0.9000', { isEliminated: true, isPinned: true })],
    'none, 1 eliminated',
  ],
];

for (const [saying, versions, expected] of sayings) {
  test(`who races by the law: ${saying}`, (t) => {
    const { entrants, fallbacks } = fieldByLaw(versions, rules);
    const number = (id: string) => Number(id.slice(-12));
    const racing = entrants.map(
      (each) => `${number(each.agentVersionId)} ${each.qualificationType}`,
    );
    const said = fallbacks.map(({ agentVersionId: id, reason }) => `${number(id)} ${reason}`);
    t.is([racing[0] ?? 'none', ...said].join(', '), expected);
  });
}

const byHotkey = (left: { minerHotkey: string }, right: { minerHotkey: string }) =>
  left.minerHotkey < right.minerHotkey ? -1 : 1;

test('the service selects whom the law names, as what it says, and falls back for its reasons', (t) => {
  const threshold = fc.constantFrom('0.0000', '0.5000', '0.5499', '0.5500', '0.5501', '1.0000');
  const property = fc.property(anyField, threshold, (candidates, qualifyingThreshold) => {
    const every = { ...rules, qualifyingThreshold };
    const { entrants, fallbacks } = fieldByLaw(candidates, every);
    t.deepEqual(selectField(candidates, every), {
      entrants: entrants.toSorted(byHotkey),
      fallbacks: fallbacks.toSorted(byHotkey),
    });
  });
  t.notThrows(() => fc.assert(property, { numRuns: 2_000 }));
});
