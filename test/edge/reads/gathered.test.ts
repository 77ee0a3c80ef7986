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

/** Loads that end when they are told to, in the order of their beginning. */
function waiting() {
  const open: PromiseWithResolvers<void>[] = [];
  const load = async (keys: readonly string[]) => {
    const answered = Promise.withResolvers<void>();
    open.push(answered);
    await answered.promise;
    return await lengths(keys);
  };
  return { load, open };
}

test('while two loads are under way, what many turns ask for is gathered for the next one', async (t) => {
  const { load, open } = waiting();
  const { gathered, loads, endTurn } = gathering(load);
  const answers = ['a', 'bb', 'ccc', 'dddd', 'eeeee'].map((key) => {
    const answer = gathered.load(key);
    endTurn();
    return answer;
  });
  t.deepEqual(loads, [['a'], ['bb']]);

  open[1]?.resolve();
  t.is(await answers[1], 2);
  t.deepEqual(loads.slice(2), [['ccc', 'dddd', 'eeeee']]);
  // The first is as slow as ever, and in nobody's way.
  open[2]?.resolve();
  t.deepEqual(await Promise.all(answers.slice(2)), [3, 4, 5]);
  open[0]?.resolve();
  t.is(await answers[0], 1);
});

test('what is asked for in a turn that goes on when a load ends is loaded with all of the turn', async (t) => {
  const { load, open } = waiting();
  const { gathered, loads, endTurn } = gathering(load);
  const [first, second] = ['a', 'bb'].map((key) => {
    const answer = gathered.load(key);
    endTurn();
    return answer;
  });
  const third = gathered.load('ccc');
  open[0]?.resolve();
  open[1]?.resolve();
  await Promise.all([first, second]);
  const fourth = gathered.load('dddd');
  t.is(loads.length, 2);
  endTurn();
  t.deepEqual(loads.slice(2), [['ccc', 'dddd']]);
  open[2]?.resolve();
  t.deepEqual(await Promise.all([third, fourth]), [3, 4]);
});

test('who waits behind a load that fails hears of it, and waits for no other', async (t) => {
  let isDown = true;
  const { load, open } = waiting();
  const { gathered, loads, endTurn } = gathering(async (keys) => {
    const found = await load(keys);
    if (isDown) throw new Error('away');
    return found;
  });
  const [first, second, behind] = ['a', 'bb', 'ccc'].map((key) => {
    const answer = gathered.load(key);
    endTurn();
    return answer;
  });
  open[0]?.resolve();
  await t.throwsAsync(first as Promise<number>, { message: 'away' });
  await t.throwsAsync(behind as Promise<number>, { message: 'away' });
  isDown = false;
  open[1]?.resolve();
  t.is(await second, 2);
  t.deepEqual(loads, [['a'], ['bb']], 'nothing is asked for whom nobody waits for');

  const after = gathered.load('dddd');
  endTurn();
  open[2]?.resolve();
  t.is(await after, 4, 'and what failed is under way no longer');
});
