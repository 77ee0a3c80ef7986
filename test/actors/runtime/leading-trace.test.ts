import test from 'ava';
import { leadingTrace } from '../../../actors/runtime/trace-of.ts';

const trace = (digit: string, flags: string) => ({
  traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-${flags}`,
});

test('work for several is a part of the first trace that somebody collects', (t) => {
  const [unseen, seen, other] = [trace('a', '00'), trace('b', '01'), trace('c', '03')];

  t.is(leadingTrace([unseen, seen, other]), seen);
  t.is(leadingTrace([unseen, other]), other);
  t.is(leadingTrace([unseen, {}]), unseen);
  t.is(leadingTrace([{}, trace('a', '02')])['traceparent'], undefined);
  t.deepEqual(leadingTrace([]), {});
});
