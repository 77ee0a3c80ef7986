import test from 'ava';
import { PostedDues } from '../../../actors/runtime/posted-dues.ts';

const due = (...ids: string[]) =>
  ids.map((id) => ({ id, type: 'ring', body: {}, account: 'system', trace: {} }));

test('what stays due is posted again after a while, and what is new at once', (t) => {
  const posted = new PostedDues(200);
  const at = (nowMs: number, ...ids: string[]) =>
    posted.withoutRecent(due(...ids), nowMs).map(({ id }) => id);
  t.deepEqual(at(1_000, 'a'), ['a']);
  t.deepEqual(at(1_020, 'a', 'b'), ['b']);
  t.deepEqual(at(1_199, 'a', 'b'), []);
  t.deepEqual(at(1_200, 'a', 'b'), ['a', 'b']);
  t.deepEqual(at(1_220), []);
  t.deepEqual(at(1_399, 'b', 'c'), ['c']);
  t.deepEqual(at(1_400, 'b'), ['b']);
});
