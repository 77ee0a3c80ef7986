import test from 'ava';
import fc from 'fast-check';
import { jsonBytes } from '../../../apps/edge/evaluation/chunks.ts';
import { episodeItem } from '../../../apps/edge/evaluation/episode-item.ts';
import { placeItem } from '../../../apps/edge/evaluation/placed-item.ts';
import { plainItem } from '../../../apps/edge/evaluation/plain-item.ts';

const good = {
  eval_run_id: '0b9e8f52-1111-5222-8333-123456789abc',
  env_pack_sha256: 'ab'.repeat(32),
  task_id: 'task-1',
  family: 'cart',
  outcome: 'completed',
  verdict_correct: true,
  verdict_checks: { total: 'passed' },
  reward_components: { reasoning: 0.8 },
  aggregate_reward: '0.500000',
  wall_seconds: 12.5,
  terminal_state_hash: 'cd'.repeat(32),
  ledger_uri: null,
  step_count: 9,
};

/** Values at the edge of what some field takes, for any field. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    ...[undefined, null, true, 'true', [], {}, '', 'x', 'A'.repeat(64), 'a'.repeat(63), 'won'],
    ...['x'.repeat(256), 'x'.repeat(257), 'x'.repeat(1024), 'x'.repeat(1025), 'ü\n"\\\u0001😀'],
    ...[0, -0, -1, 1, 1.5, 1e-7, 1e300, 2_147_483_647, 2_147_483_648, Number.POSITIVE_INFINITY],
    ...[Number.NaN, '-0', '0', '1', '1.0', '1.1', '0.1234567', '1e-3', '.5', 0.000001],
    ...[{ total: 'maybe' }, { a: 'passed', b: 'unknown' }, { [`${'k'.repeat(257)}`]: 'passed' }],
    ...[JSON.parse('{"__proto__": "passed", "a": "failed"}'), { 2: 'passed', 1: 'failed' }],
    ...['0B9E8F52-1111-5222-8333-123456789ABC', '0b9e8f5211115222 8333123456789abc'],
  ),
  fc.jsonValue(),
);
const names = Object.keys(good) as (keyof typeof good)[];
const item = fc
  .tuple(fc.dictionary(fc.constantFrom(...names, 'unknown'), odd, { maxKeys: 3 }), fc.boolean())
  .map(([changes, isLess]) => {
    const changed: Record<string, unknown> = { ...good, ...changes };
    if (isLess) for (const name of Object.keys(changes)) delete changed[name];
    return changed;
  });

test('an item is seen to be right only where the schema says so, and means the same', (t) => {
  let seen = 0;
  const property = fc.property(fc.oneof(item, fc.jsonValue()), (given) => {
    const plain = plainItem(given);
    const judged = episodeItem.safeParse(given);
    if (plain === undefined) return !judged.success || JSON.stringify(given).includes('__proto__');
    seen += 1;
    t.deepEqual(plain, judged.data);
    return judged.success;
  });

  fc.assert(property, { numRuns: 5_000 });
  t.true(seen > 100);
});

test('checks and components are counted as their texts hold them', (t) => {
  const property = fc.property(item, (given) => {
    const plain = plainItem(given);
    if (plain === undefined) return true;
    const { counts, verdictChecks, rewardComponents } = placeItem(0, plain);
    const verdicts = Object.values(JSON.parse(verdictChecks));
    for (const verdict of ['passed', 'failed', 'unknown'] as const) {
      t.is(counts.checks[verdict], verdicts.filter((other) => other === verdict).length);
    }
    return counts.components === Object.keys(JSON.parse(rewardComponents)).length;
  });

  t.notThrows(() => fc.assert(property, { numRuns: 2_000 }));
});

test('the bytes of an item are those of its JSON', (t) => {
  const property = fc.property(item, (given) => {
    const plain = plainItem(given);
    return plain === undefined || placeItem(0, plain).bytes === jsonBytes(plain);
  });

  t.notThrows(() => fc.assert(property, { numRuns: 5_000 }));
});
