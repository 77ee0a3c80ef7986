import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { testDatabase } from '../../support/cluster.ts';
import { codeLines, sources } from '../../tidy/sources.ts';

/**
 * 1. A table that keeps a row of each version, work item, run or loan for ever, and changes it while its
 *    evaluation goes on, is vacuumed when a fiftieth of it is dead: a fifth of years is too much to wait for.
 * 2. Of every other table in which anything is changed it is said why a fifth is little.
 */
const growing: readonly string[] = [
  'agent_version',
  'evaluation_run',
  'inference_key',
  'inference_token',
  'inference_usage',
  'problem_progress',
  'rt.snapshot',
  'run_beat',
  'work_item',
];

const few = 'few rows';
const brief = 'kept for hours';
const byRace = 'changed by a race, of which there is one a day';
const byOperators = 'changed by operators';
const byMiner = 'a row of a miner or less, changed when the miner says so';
const littleChanged: Readonly<Record<string, string>> = {
  challenge: brief,
  hotkey_ban: byOperators,
  inference_check: byMiner,
  inference_credential: byMiner,
  inference_default: byMiner,
  inference_overtaken_check: byMiner,
  inference_past_credential: byMiner,
  inference_snapshot: few,
  miner: 'a row of a hotkey, changed by its submissions, at most one in 18 hours',
  nonce: 'kept for minutes',
  pack_delivery: few,
  public_release: 'changed once, when the public is told',
  race: byRace,
  race_entrant: byRace,
  race_pin: byMiner,
  rejudging: byOperators,
  'rt.clock_follower': few,
  'rt.clock_offset': few,
  'rt.history': few,
  'rt.member': few,
  'rt.outbox': 'kept until it is proved to be consumed',
  'rt.partition': few,
  seal_key: few,
  session: brief,
  similarity_again: few,
  similarity_version:
    'changed in the first minutes of a version, and once more when an earlier file comes late',
  suite: byOperators,
  top_agent: byRace,
  validator: 'a row of a validator',
  webhook: few,
};

const soon = 'autovacuum_vacuum_scale_factor=0.02';

interface Table {
  readonly name: string;
  readonly options: readonly string[];
}

async function tablesOf(sql: Sql): Promise<readonly Table[]> {
  return await sql<Table[]>`
    select case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname as name,
      coalesce(c.reloptions, '{}') as options
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'rt')
    order by name`;
}

/** All SQL of ours: that of functions, and of whatever asks from outside. */
async function statements(sql: Sql): Promise<readonly string[]> {
  const functions = await sql<{ body: string }[]>`
    select regexp_replace(p.prosrc, '--[^\n]*', '', 'g') as body
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'rt')`;
  const product = sources('ts').filter(({ path }) => !path.startsWith('test/'));
  return [
    ...functions.map(({ body }) => body),
    ...product.map((file) => codeLines(file).join('\n')),
  ];
}

const updating = /\bupdate\s+([a-z_.]+)/g;
const upserting = /\binsert\s+into\s+([a-z_.]+)(?:(?!\binsert\s+into\b)[^;])*?\bdo\s+update\b/g;

function changedIn(text: string): string[] {
  return [...text.matchAll(updating), ...text.matchAll(upserting)].map(([, name = '']) => name);
}

test('of every table in which rows are changed it is said how soon it is vacuumed', async (t) => {
  const { sql } = await testDatabase(t);
  const names = new Set((await tablesOf(sql)).map(({ name }) => name));
  const changed = new Set((await statements(sql)).flatMap(changedIn));

  const said = [...growing, ...Object.keys(littleChanged)].sort();

  t.deepEqual(said, [...changed].filter((name) => names.has(name)).sort());
});

test('what grows for years and is changed all the time is vacuumed at a fiftieth', async (t) => {
  const { sql } = await testDatabase(t);

  const tables = await tablesOf(sql);

  t.deepEqual(
    tables.filter(({ options }) => options.includes(soon)).map(({ name }) => name),
    [...growing].sort(),
  );
  const settings = tables.flatMap(({ options }) => options).filter((one) => one !== soon);
  t.deepEqual([...new Set(settings)], ['fillfactor=50'], 'no table has any other measure');
});
