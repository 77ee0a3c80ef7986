import test from 'ava';
import { tryEvents } from './event-trial.ts';

// The short form of `npm run proof:events`, on a seed of its own.

test('whoever is cut off anywhere and meets dying processes gets the whole feed, once and in order', async (t) => {
  // Above all that the trial itself waits for, so that what went wrong is told as a flaw.
  t.timeout(900_000);
  const { flaws, counts } = await tryEvents({
    ...{ seed: 8, listeners: 8, hooks: 3, validators: 3 },
    ...{ durationMs: 2_500, faultEveryMs: 1_100, raceEveryMs: 500 },
    terms: { codeMs: 2_000, embargoMs: 1_000 },
    say: (line) => t.log(`${Math.round(performance.now())} ms: ${line}`),
  });
  t.log(counts);
  t.deepEqual(flaws, []);
  for (const needed of [
    ...['streams cut within their bytes', 'taken up at another edge', 'processes killed'],
    ...['deliveries', 'told: run-ended', 'told: version-eligible', 'told: code-released'],
    ...['told: race-started', 'told: race-completed'],
  ]) {
    t.true((counts[needed] ?? 0) > 0, needed);
  }
});
