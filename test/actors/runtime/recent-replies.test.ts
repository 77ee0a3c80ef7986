import test from 'ava';
import { RecentReplies } from '../../../actors/runtime/recent-replies.ts';
import type { WireReply } from '../../../infra/ports/bus.ts';

const ok = (body: unknown): WireReply => ({ kind: 'ok', body });
const known = (replies: RecentReplies, count: number) =>
  Array.from({ length: count }, (_, n) => replies.get(`c${n}`)).filter(Boolean).length;

test('small answers are remembered by the hundred, large ones by the handful', (t) => {
  const small = new RecentReplies();
  const large = new RecentReplies();

  for (let n = 0; n < 1_000; n += 1) {
    small.remember(`c${n}`, ok(n), 200);
    large.remember(`c${n}`, ok(n), 60_000);
  }

  t.is(known(small, 1_000), 256);
  t.is(known(large, 1_000), 2);
  t.deepEqual(large.get('c999'), ok(999));
});

test('refusals are forgotten, and a second answer under one id counts once', (t) => {
  const replies = new RecentReplies();

  replies.remember('refused', { kind: 'moved' }, 1);
  for (let n = 0; n < 10; n += 1) replies.remember('same', ok(n), 60_000);
  replies.remember('other', ok('o'), 60_000);

  t.is(replies.get('refused'), undefined);
  t.deepEqual([replies.get('same'), replies.get('other')], [ok(9), ok('o')]);
});
