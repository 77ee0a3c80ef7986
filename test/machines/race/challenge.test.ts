import test from 'ava';
import { type Contender, challengeTop } from '../../../machines/race/challenge.ts';
import type { ReigningTop } from '../../../machines/race/field.ts';
import { aPolicy, raceEndMs } from '../../support/race-fields.ts';

const reignMs = 0.73 * 86_400_000;
const top: ReigningTop = {
  agentVersionId: 'top',
  minerHotkey: 'miner-top',
  score: '0.4731',
  topAt: raceEndMs - reignMs,
};
const contender = (id: string, weightedScore: string): Contender => ({
  ...{ agentVersionId: id, minerHotkey: `miner-${id}`, weightedScore },
});
const after = (first: Contender, ...others: readonly Contender[]) =>
  challengeTop([first, ...others], { top, policy: aPolicy, nowMs: raceEndMs });
const kept = (score: string) => ({
  ...{ kind: 'kept', agentVersionId: 'top', minerHotkey: 'miner-top', score },
});
const promoted = (score: string, endsReignOf: string | null) => ({
  ...{ kind: 'promoted', agentVersionId: 'new', minerHotkey: 'miner-new', score, endsReignOf },
});

test('0.4826 beats a top of 0.4731 after 0.73 days', (t) => {
  t.deepEqual(after(contender('new', '0.4826')), {
    top: promoted('0.4826', 'top'),
    margin: '0.0095',
    challengedScore: '0.4731',
  } as never);
});

test('0.4825 does not', (t) => {
  t.deepEqual(after(contender('new', '0.4825')), {
    top: kept('0.4731'),
    margin: '0.0095',
    challengedScore: '0.4731',
  } as never);
});

test('without a top the winner is promoted, whatever its score', (t) => {
  const first = contender('new', '-0.0100');

  t.deepEqual(challengeTop([first], { top: null, policy: aPolicy, nowMs: raceEndMs }), {
    top: promoted('-0.0100', null),
    margin: null,
    challengedScore: null,
  } as never);
});

test('a top that raced is challenged at what it has just shown', (t) => {
  const lower = after(contender('new', '0.4100'), contender('top', '0.4000'));
  const higher = after(contender('new', '0.6094'), contender('top', '0.6000'));

  t.deepEqual(lower.top, promoted('0.4100', 'top') as never);
  t.is(lower.challengedScore, '0.4000');
  t.deepEqual(higher.top, kept('0.6000') as never);
});

test('a top that won goes on at its new score', (t) => {
  const { top: outcome, challengedScore } = after(contender('top', '0.3000'));

  t.deepEqual(outcome, kept('0.3000') as never);
  t.is(challengedScore, '0.3000');
});

test('a top that won when its margin had come to nothing goes on all the same', (t) => {
  const old = { ...top, topAt: 0 };
  const same = contender('top', '0.4731');

  const { top: outcome, margin } = challengeTop([same], {
    top: old,
    policy: aPolicy,
    nowMs: raceEndMs,
  });

  t.is(margin, '0.0000');
  t.deepEqual(outcome, kept('0.4731') as never);
});

test('only the winner challenges', (t) => {
  const { top: outcome } = after(contender('top', '0.4000'), contender('new', '0.4000'));

  t.is(outcome.kind, 'kept');
});

test('a long reign is beaten by an equal score', (t) => {
  const old = { ...top, topAt: 0 };
  const equal = contender('new', '0.4731');

  const { top: outcome } = challengeTop([equal], { top: old, policy: aPolicy, nowMs: raceEndMs });

  t.deepEqual(outcome, promoted('0.4731', 'top') as never);
});
