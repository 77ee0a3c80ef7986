import test from 'ava';
import { corpus } from './corpus.ts';
import { tryBoundInFront, tryEvasions, witnessed } from './try-evasions.ts';

test('no evasion is accepted', (t) => {
  const { tried, accepted } = tryEvasions(0, 0);

  t.true(tried >= 500);
  t.deepEqual(
    accepted.map(({ id }) => id),
    [],
  );
});

test('no mutant of an evasion is accepted', (t) => {
  const { tried, accepted } = tryEvasions(1, 20_261_121, 3);

  t.true(tried >= 100);
  t.deepEqual(
    accepted.map(({ id, source }) => `${id}\n${source}`),
    [],
  );
});

test('no evasion is accepted behind a binding of what it names', (t) => {
  const { tried, accepted } = tryBoundInFront(3);

  t.true(tried >= 200);
  t.deepEqual(
    accepted.map(({ id, source }) => `${id}\n${source}`),
    [],
  );
});

// Every one of them, in CPython: `npm run proof:evasions`.
const shown = corpus.filter((_, index) => index % 5 === 0);

test('in CPython an evasion reaches what it claims, and mutants keep their meaning', async (t) => {
  t.timeout(300_000);
  const { mutants } = tryEvasions(1, 7, 20);

  const outcomes = await witnessed([...shown, ...mutants]);

  const idle = shown.flatMap(({ id }, index) =>
    outcomes[index] === 'reached' ? [] : [`${id}: ${outcomes[index]}`],
  );
  t.deepEqual(idle, []);
  const kept = outcomes.slice(shown.length).filter((outcome) => outcome === 'reached').length;
  t.true(kept >= mutants.length * 0.8, `${kept} of ${mutants.length}`);
});
