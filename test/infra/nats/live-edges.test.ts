import test from 'ava';
import { LiveEdges } from '../../../infra/nats/live-edges.ts';

test('an edge is there from its first word to its goodbye', (t) => {
  const live = new LiveEdges('self');
  t.deepEqual(live.names, ['self']);
  t.true(live.hear('other'));
  t.false(live.hear('other'), 'no stranger any more');
  t.deepEqual(live.names, ['self', 'other']);
  live.forget('other');
  t.deepEqual(live.names, ['self']);
  t.true(live.hear('other'));
});

test('an edge that says nothing for three beats is gone', (t) => {
  const live = new LiveEdges('self');
  live.hear('silent');
  live.hear('talking');
  for (let beats = 1; beats <= 3; beats++) {
    t.deepEqual(live.names, ['self', 'silent', 'talking']);
    live.beat();
    live.hear('talking');
  }
  t.deepEqual(live.names, ['self', 'talking']);
});

test('an edge is never a stranger to itself, nor gone', (t) => {
  const live = new LiveEdges('self');
  t.false(live.hear('self'));
  live.forget('self');
  for (let beats = 0; beats < 5; beats++) live.beat();
  t.deepEqual(live.names, ['self']);
});
