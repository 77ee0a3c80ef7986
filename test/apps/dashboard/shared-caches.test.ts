import test from 'ava';
import { keptMs, mayBeKept } from '../../../apps/dashboard/browser/shared-caches.ts';
import { liveRead } from '../../../apps/edge/public-reads/send-representation.ts';

test('a copy may be shown as long as public reads allow', (t) => {
  t.is(keptMs, (liveRead.maxAgeSeconds + liveRead.staleSeconds) * 1000);
});

test('an answer that has an age came by a cache', (t) => {
  t.true(mayBeKept(new Headers({ age: '0' })));
  t.true(mayBeKept(new Headers({ age: '7' })));
  t.false(mayBeKept(new Headers({ etag: 'W/"a"' })));
});
