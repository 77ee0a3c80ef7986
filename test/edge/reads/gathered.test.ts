import test from 'ava';
import { Gathered } from '../../../apps/edge/reads/gathered.ts';

function gathering(loadAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>) {
  const turns: (() => void)[] = [];
  const loads: string[][] = [];
  const gathered = new Gathered(
    (keys) => {
      loads.push([...keys]);
      return loadAll(keys);
    },
    0,
    (run) => void turns.push(run),
  );
  const endTurn = () => {
    for (const run of turns.splice(0)) run();
  };
  return { gathered, loads, endTurn };
}

const lengths = async (keys: readonly string[]) =>
  new Map(keys.filter((key) => key !== 'nobody').map((key) => [key, key.length]));

test('what is asked in one turn is loaded at once, and each gets its own answer', async (t) => {
  const { gathered, loads, endTurn } = gathering(lengths);
  const first = ['a', 'bb', 'nobody'].map((key) => gathered.load(key));
  endTurn();
  const second = gathered.load('ccc');
  endTurn();

  t.deepEqual(await Promise.all([...first, second]), [1, 2, 0, 3]);
  t.deepEqual(loads, [['a', 'bb', 'nobody'], ['ccc']]);
});

test('a load that fails is told to all of it, and to nobody else', async (t) => {
  let isDown = true;
  const { gathered, endTurn } = gathering(async (keys) => {
    if (isDown) throw new Error('away');
    return await lengths(keys);
  });
  const failed = [gathered.load('a'), gathered.load('b')];
  endTurn();
  isDown = false;
  const good = gathered.load('ccc');
  endTurn();

  for (const one of failed) await t.throwsAsync(one, { message: 'away' });
  t.is(await good, 3);
});

test('a crowd beyond what one statement takes is loaded in several', async (t) => {
  const { gathered, loads, endTurn } = gathering(lengths);
  const asked = Array.from({ length: 1_001 }, (_, n) => gathered.load(`${n}`));
  endTurn();

  t.deepEqual(
    await Promise.all(asked),
    asked.map((_, n) => `${n}`.length),
  );
  t.deepEqual(
    loads.map((keys) => keys.length),
    [500, 500, 1],
  );
});
