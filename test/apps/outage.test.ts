import { writeFile } from 'node:fs/promises';
import test from 'ava';
import { faultOf } from '../../apps/outage.ts';

test('a full disk of this host is an outage, to be told and repeated, and no defect', async (t) => {
  const error = await t.throwsAsync(writeFile('/dev/full', 'x'));

  const { code, message } = faultOf(error);

  t.is(code, 'STORAGE_UNAVAILABLE');
  t.regex(message, /disk .* is full/);
  t.is(faultOf(new Error('no space left on device')).code, 'INTERNAL_ERROR');
});
