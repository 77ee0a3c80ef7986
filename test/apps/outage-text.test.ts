import test from 'ava';
import { outageText } from '../../apps/outage-text.ts';
import { StorageUnavailable } from '../../infra/object-store/storage-unavailable.ts';

test('a neighbour that is away is one sentence, and a defect is none', (t) => {
  const away = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
    code: 'ECONNREFUSED',
  });
  t.is(outageText(away), 'the database: connect ECONNREFUSED 127.0.0.1:1');
  t.is(
    outageText(new StorageUnavailable('the object store cannot be used')),
    'the object store cannot be used',
  );
  t.is(outageText(new TypeError('x is no function')), undefined);
});
