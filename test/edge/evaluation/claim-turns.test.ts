import test from 'ava';
import { evalCommands } from '../../../actors/lease-manager/messages.ts';
import { turnsOf } from '../../../apps/edge/evaluation/claim-turns.ts';

const candidates = (parts: readonly number[]) =>
  parts.map((part, at) => ({
    part,
    workItemId: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  }));

test('work that all waits in one partition is asked for by no more names than its owner takes', (t) => {
  const all = candidates(Array.from({ length: 48 }, () => 7));
  for (const count of [1, 16, 17, 48]) {
    const offered = all.slice(0, count);
    const [turn, ...others] = turnsOf(offered, 'validator', 2);
    const body = { validatorHotkey: 'validator', validatorColdkey: null, slot: 0 };
    const asked = { ...body, preferred: turn?.preferred };
    t.true(evalCommands['claim-work'].request.safeParse(asked).success, `${count} candidates`);
    t.is(turn?.preferred[0], offered[0]?.workItemId, 'the best one first');
    t.deepEqual(others, []);
  }
});

test('the first round asks as the queue stands, and later ones begin elsewhere', (t) => {
  const offered = candidates([3, 1, 3, 2, 4]);
  const parts = (round: number) => turnsOf(offered, 'validator', round).map(({ part }) => part);
  t.deepEqual(parts(0), [3, 1, 2]);
  t.deepEqual(turnsOf(offered, 'validator', 0)[0]?.preferred, [
    offered[0]?.workItemId,
    offered[2]?.workItemId,
  ]);
  const begins = [1, 2, 3, 4, 5].map((round) => parts(round)[0]);
  t.true(new Set(begins).size > 1, begins.join());
  t.deepEqual(turnsOf([], 'validator', 1), []);
});
