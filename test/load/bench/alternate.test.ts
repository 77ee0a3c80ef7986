import test from 'ava';
import { alternate } from './alternate.ts';

test('every round has each side once, in an order that chance draws', async (t) => {
  const order: string[] = [];
  const side = (name: string) => async (round: number) => {
    order.push(`${name}${round}`);
    return name;
  };
  const draws = [0, 0.9];
  let turn = 0;
  const random = () => draws[Math.floor(turn++ / 2)] ?? 0;

  const results = await alternate(2, { ours: side('a'), theirs: side('b') }, random);

  t.deepEqual(order, ['a0', 'b0', 'b1', 'a1']);
  t.deepEqual(results, [
    { ours: 'a', theirs: 'b' },
    { ours: 'a', theirs: 'b' },
  ]);
});
