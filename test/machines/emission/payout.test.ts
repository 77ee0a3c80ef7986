import test from 'ava';
import { estimatePayout } from '../../../machines/emission/payout.ts';

test('an estimate is exact to the last place of TAO and to the cent', (t) => {
  const all = 10n ** 18n;
  t.deepEqual(estimatePayout(all, '2952', '312.07'), {
    taoPerDay: '2952.000000000',
    usdPerDay: '921230.64',
  });
  t.deepEqual(estimatePayout(all / 3n, '1', '1'), {
    taoPerDay: '0.333333333',
    usdPerDay: '0.33',
  });
  t.deepEqual(estimatePayout(0n, '0.000000001', '0.5'), {
    taoPerDay: '0.000000000',
    usdPerDay: '0.00',
  });
});

test('what is not known makes nothing up', (t) => {
  t.deepEqual(estimatePayout(1n, undefined, '5'), { taoPerDay: null, usdPerDay: null });
  t.deepEqual(estimatePayout(10n ** 18n, '1', undefined), {
    taoPerDay: '1.000000000',
    usdPerDay: null,
  });
});
