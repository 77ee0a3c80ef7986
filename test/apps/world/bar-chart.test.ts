import test from 'ava';
import { barChart } from '../../../apps/world/days/bar-chart.ts';

test('bars are as long as their shares, the largest over the whole width', (t) => {
  t.deepEqual(
    barChart(
      [
        { label: 'top', share: 0.8 },
        { label: 'tail', share: 0.2 },
      ],
      8,
    ),
    ['top   ████████  80.000 %', 'tail  ██        20.000 %'],
  );
});

test('a share that is paid is seen, and nothing is not', (t) => {
  const [, tiny, none] = barChart(
    [
      { label: 'a', share: 0.99999 },
      { label: 'b', share: 0.00001 },
      { label: 'c', share: 0 },
    ],
    4,
  );

  t.is(tiny, 'b  ▏     0.001 %');
  t.is(none, 'c        0.000 %');
});

test('nobody paid at all is a chart of empty bars', (t) => {
  t.deepEqual(barChart([{ label: 'burn', share: 0 }], 3), ['burn       0.000 %']);
});
