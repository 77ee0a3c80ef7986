import test from 'ava';
import fc from 'fast-check';
import { datedFacts, type StoredFact } from '../../../apps/edge/reads/dated-facts.ts';

const things = ['agent-version v', 'work-item w', 'evaluation-run a', 'evaluation-run b'];

/** What some commits stored, each by one command; owners' clocks are behind the database's. */
const stored = fc
  .array(
    fc.record({
      afterMs: fc.nat({ max: 50 }),
      facts: fc.array(
        fc.record({
          thing: fc.constantFrom(...things),
          behindMs: fc.option(fc.nat({ max: 60 }), { nil: null }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    { maxLength: 20 },
  )
  .map((commits) => {
    const seqs = new Map<string, number>();
    let committedMs = 1_800_000_000_000;
    return commits.flatMap(({ afterMs, facts }, index) => {
      committedMs += afterMs;
      return facts.map(({ thing, behindMs }): StoredFact => {
        const [machine = '', key = ''] = thing.split(' ');
        const seq = (seqs.get(thing) ?? 0) + 1;
        seqs.set(thing, seq);
        const ownMs = behindMs === null ? null : committedMs - behindMs;
        return { machine, key, seq, type: 'X', commandId: `c${index}`, committedMs, ownMs };
      });
    });
  });

const nameOf = ({ machine, key, seq }: StoredFact) => `${machine} ${key} ${seq}`;

test('every fact is dated, in the order of time, none before what came of its thing before it', (t) => {
  fc.assert(
    fc.property(stored, (facts) => {
      const dated = datedFacts(facts);
      t.deepEqual(dated.map(nameOf).sort(), facts.map(nameOf).sort());
      const last = new Map<string, { atMs: number; seq: number }>();
      let beforeMs = 0;
      for (const { machine, key, seq, atMs, ownMs } of dated) {
        t.true(atMs >= beforeMs);
        beforeMs = atMs;
        const former = last.get(`${machine} ${key}`);
        if (former !== undefined) t.true(seq > former.seq);
        // Its own word stands, but for what came before it.
        if (ownMs !== null) t.true(atMs === ownMs || atMs === former?.atMs);
        last.set(`${machine} ${key}`, { atMs, seq });
      }
    }),
  );
});

test('in which order the database gives them is all the same', (t) => {
  const shuffled = stored.chain((facts) =>
    fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })),
  );
  fc.assert(
    fc.property(shuffled, ([facts, others]) => {
      t.deepEqual(datedFacts(others), datedFacts(facts));
    }),
  );
});
