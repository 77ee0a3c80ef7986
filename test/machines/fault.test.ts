import test from 'ava';
import { Fault } from '../../machines/fault.ts';

test('a refusal says what it is and carries no stack', (t) => {
  const fault = new Fault('AT_CAPACITY', 'All runs are taken.');
  t.is(String(fault), 'Fault: All runs are taken.');
  t.notRegex(fault.stack ?? '', /\n\s+at /);
});

test('a defect that is found after a refusal still says where it is', (t) => {
  const refused = new Fault('AT_CAPACITY', 'All runs are taken.');
  const defect = new Error('a defect', { cause: refused });
  t.regex(defect.stack ?? '', /fault\.test\.ts/);
});
