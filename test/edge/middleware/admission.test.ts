import test from 'ava';
import { Admission } from '../../../apps/edge/middleware/admission.ts';

type TrafficClass = Parameters<Admission['enter']>[0];

/** How many of the class, at most `most`, are let in beside what is in flight. */
function crowd(admission: Admission, trafficClass: TrafficClass, most = 10_000): number {
  let letIn = 0;
  while (letIn < most && admission.enter(trafficClass)) letIn += 1;
  return letIn;
}

test('by what holds in production, reads leave room for claims, and claims for heartbeats', (t) => {
  const admission = new Admission();
  const reads = crowd(admission, 2);
  t.true(reads >= 100, 'reads are answered, too');
  t.true(crowd(admission, 1) >= 100, 'a claim is let in beside all reads that are');
  t.false(admission.enter(2));
  t.true(crowd(admission, 0) >= 100, 'a heartbeat is let in beside all claims that are');
  t.false(admission.enter(1));
  t.false(admission.enter(2));
  t.true(admission.inFlight < 10_000, 'and there is an end of heartbeats, too');
  for (let left = admission.inFlight; left > 0; left -= 1) admission.leave();
  t.is(crowd(admission, 2), reads, 'who left has made room');
});

test('600 reads at once shed no heartbeat and no claim', (t) => {
  const admission = new Admission();
  crowd(admission, 2, 600);
  t.true(admission.enter(0));
  t.true(admission.enter(1));
});
