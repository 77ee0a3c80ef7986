import test from 'ava';
import fc from 'fast-check';
import { ProviderBreakers, type Tell } from '../../../apps/edge/inference/provider-breakers.ts';
import { Fault } from '../../../machines/fault.ts';

/**
 * Many ask one provider, in time that only this file moves. Who is turned away comes again: agents of
 * good will when they are told to, the others at once. At equal moments the latter come first.
 */

const policy = { failuresMax: 10, minersMin: 3, restMs: 10_000 };
/** What one try keeps others waiting, and what they are told to wait at least. */
const momentMs = 1_000;

class Stage {
  nowMs = 0;
  #turns: { readonly atMs: number; readonly go: () => void }[] = [];

  after(ms: number, go: () => void): void {
    const atMs = this.nowMs + ms;
    const later = this.#turns.findIndex((turn) => turn.atMs > atMs);
    this.#turns.splice(later === -1 ? this.#turns.length : later, 0, { atMs, go });
  }

  play(untilMs: number): void {
    for (;;) {
      const [turn] = this.#turns;
      if (turn === undefined || turn.atMs > untilMs) return;
      this.#turns.shift();
      this.nowMs = turn.atMs;
      turn.go();
    }
  }
}

/** A provider that has just failed for three miners. */
function afterAnOutage() {
  const stage = new Stage();
  const breakers = new ProviderBreakers(policy, { monotonicMs: () => stage.nowMs });
  /** How to tell what came of it, or after how long to ask again. */
  const enter = (minerHotkey: string): Tell | number => {
    try {
      return breakers.enter('providera', minerHotkey);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return Number(error.extras['retry_after_seconds']) * 1000;
    }
  };
  for (let count = 0; count < policy.failuresMax; count += 1) {
    const tell = enter(`unlucky ${count % policy.minersMin}`);
    if (typeof tell !== 'number') tell('bad');
  }
  return { stage, enter };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

type Contest = ReturnType<typeof afterAnOutage>;

/** One of a miner's loops that ask again whatever they are told. */
function insist(
  { stage, enter }: Contest,
  asked: {
    readonly minerHotkey: string;
    readonly pauseMs: number;
    readonly lastsMs: () => number;
    readonly outcome: 'bad' | 'unknown';
    readonly onTry?: (span: Span) => void;
  },
): void {
  const { minerHotkey, pauseMs, lastsMs, outcome, onTry } = asked;
  const go = () => {
    const tell = enter(minerHotkey);
    if (typeof tell === 'number') return stage.after(pauseMs, go);
    const fromMs = stage.nowMs;
    const ms = lastsMs();
    onTry?.({ fromMs, toMs: fromMs + ms });
    stage.after(ms, () => {
      tell(outcome);
      stage.after(1, go);
    });
  };
  go();
}

const lasting = fc.constantFrom(1, 999, 1_000, 1_001, 5_000, 60_000, 300_000);
const ending = fc.constantFrom('bad' as const, 'unknown' as const);

test('whatever one miner asks, others are let in a moment after the rest', (t) => {
  const contest = fc.record({
    loops: fc.constantFrom(1, 2, 16, 32),
    pauseMs: fc.constantFrom(7, 50, 400),
    lastsMs: lasting,
    outcome: ending,
    minerHotkey: fc.constantFrom('attacker', 'unlucky 0'),
    comesAtMs: fc.array(fc.integer({ min: 0, max: 11_000 }), { minLength: 1, maxLength: 50 }),
    answersInMs: fc.constantFrom(200, 20_000),
  });
  fc.assert(
    fc.property(contest, ({ loops, comesAtMs, answersInMs, lastsMs, ...asked }) => {
      const told = afterAnOutage();
      const { stage, enter } = told;
      for (let count = 0; count < loops; count += 1) {
        insist(told, { ...asked, lastsMs: () => lastsMs });
      }
      const letInMs: number[] = [];
      for (const [index, atMs] of comesAtMs.entries()) {
        const go = () => {
          const tell = enter(`victim ${index}`);
          if (typeof tell === 'number') return stage.after(tell, go);
          letInMs.push(stage.nowMs);
          stage.after(answersInMs, () => tell('good'));
        };
        stage.after(atMs, go);
      }
      const last = Math.max(policy.restMs, Math.min(...comesAtMs));
      stage.play(last + 3 * momentMs);
      t.true(letInMs.length > 0);
      // And once one of them was answered, all of them are.
      stage.play(stage.nowMs + answersInMs + 30 * momentMs);
      t.is(letInMs.length, comesAtMs.length);
    }),
    { seed: 11, numRuns: 60 },
  );
});

test('a provider that is down is asked once in a rest by each miner, and not by all at once', (t) => {
  const contest = fc.record({
    miners: fc.integer({ min: 1, max: 12 }),
    loops: fc.constantFrom(1, 4),
    pauseMs: fc.constantFrom(50, 400),
    lasts: fc.infiniteStream(lasting),
    outcome: ending,
  });
  fc.assert(
    fc.property(contest, ({ miners, loops, lasts, ...asked }) => {
      const told = afterAnOutage();
      const last = new Map<number, Span>();
      let newest: Span = { fromMs: 0, toMs: 0 };
      const onTry = (miner: number, span: Span) => {
        const { fromMs } = span;
        t.true(fromMs >= policy.restMs);
        t.true(fromMs >= (last.get(miner)?.toMs ?? 0) + policy.restMs);
        t.true(fromMs >= Math.min(newest.toMs, newest.fromMs + momentMs));
        last.set(miner, span);
        newest = span;
      };
      for (let count = 0; count < miners * loops; count += 1) {
        const miner = count % miners;
        insist(told, {
          ...asked,
          minerHotkey: `miner ${miner}`,
          lastsMs: () => lasts.next().value ?? 1,
          onTry: (span) => onTry(miner, span),
        });
      }
      told.stage.play(60_000);
      t.true(last.size > 0);
    }),
    { seed: 12, numRuns: 40 },
  );
});
