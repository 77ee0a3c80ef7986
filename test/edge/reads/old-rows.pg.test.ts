import test from 'ava';
import {
  deleteChallenges,
  deleteNonces,
  deleteSessions,
  nonceClockMs,
} from '../../../actors/services/auth/store.ts';
import { deleteCounted } from '../../../actors/services/inference/store.ts';
import { listInferenceTotals } from '../../../apps/edge/reads/inference.ts';
import { createRejections } from '../../../apps/edge/submission/rejections.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

// The clock is volatile: compared with it row by row, a column bounds no scan of its index, and what is
// asked for a few rows costs more with each day that the service is there.

const rows = 2_000;
/** Every so many-th row is one that is asked for. */
const every = 100;

interface Scene {
  readonly what: string;
  readonly table: string;
  readonly plant: (tx: Transaction) => Promise<unknown>;
  /** How many rows it was about. */
  readonly ask: (sql: Sql) => Promise<number>;
}

const scenes: readonly Scene[] = [
  {
    what: 'what agents asked providers for within a day',
    table: 'inference_usage',
    plant: (tx) => tx`
      insert into inference_usage (eval_run_id, provider, model_id, requests, last_at)
      select gen_random_uuid(), 'providera', 'model', 1,
        rt.clock() - (case n % ${every} when 0 then 1 else 48 end) * interval '1 hour'
      from generate_series(1, ${rows}) n`,
    ask: async (sql) => (await listInferenceTotals(sql))[0]?.requests ?? 0,
  },
  {
    what: 'how often a hotkey was refused within an hour',
    table: 'rejected_submission',
    plant: (tx) => tx`
      insert into rejected_submission (command_id, hotkey, reason, code_sha256, at)
      select n::text, 'miner', 'INVALID_FILE', '',
        rt.clock() - (case n % ${every} when 0 then 1 else 120 end) * interval '1 minute'
      from generate_series(1, ${rows}) n`,
    ask: async (sql) => {
      const perHourMax = rows / every;
      const rejections = createRejections({ sql, perHourMax, bus: undefined as never });
      return await rejections.requireBelowLimit('miner').then(
        () => 0,
        () => perHourMax,
      );
    },
  },
  {
    what: 'nonces that are remembered long enough',
    table: 'nonce',
    plant: (tx) => tx`
      insert into nonce (hotkey, nonce, accepted_at, batch_id)
      select 'miner', gen_random_uuid(),
        rt.clock() - (case n % ${every} when 0 then 1 else 0 end) * interval '1 hour', ''
      from generate_series(1, ${rows}) n`,
    ask: async (sql) => deleteNonces(sql, (await nonceClockMs(sql)) - 600_000, rows / 20),
  },
  {
    what: 'challenges that are over',
    table: 'challenge',
    plant: (tx) => tx`
      insert into challenge (challenge_sha256, hotkey, expires_at)
      select n::text, 'miner',
        rt.clock() - (case n % ${every} when 0 then 1 else -1 end) * interval '1 hour'
      from generate_series(1, ${rows}) n`,
    ask: (sql) => deleteChallenges(sql, rows / 20),
  },
  {
    what: 'sessions that are over',
    table: 'session',
    plant: (tx) => tx`
      insert into session (token_sha256, hotkey, role, created_at, expires_at)
      select n::text, 'miner', 'miner', rt.clock(),
        rt.clock() - (case n % ${every} when 0 then 1 else -1 end) * interval '1 hour'
      from generate_series(1, ${rows}) n`,
    ask: (sql) => deleteSessions(sql, rows / 20),
  },
  {
    what: 'requests that are counted',
    table: 'inference_request',
    plant: (tx) => tx`
      insert into inference_request (request_id, counted_at)
      select gen_random_uuid(),
        rt.wall_clock() - (case n % ${every} when 0 then 1 else 0 end) * interval '1 hour'
      from generate_series(1, ${rows}) n`,
    ask: (sql) => deleteCounted(sql, 600, rows / 20),
  },
];

for (const { what, table, plant, ask } of scenes) {
  test(`${what} are found without a look at the rest`, async (t) => {
    const { sql } = await testDatabase(t);
    await transaction(sql, {}, async (tx) => {
      await tx`set local session_replication_role = replica`;
      await plant(tx);
    });
    await sql.unsafe(`analyze ${table}`);

    const [about, looked] = await transaction(sql, {}, async (tx) => {
      // What was counted and not reported yet is of earlier transactions, too.
      const before = await lookedAt(tx, table);
      // Sound because all of them ask by the template alone.
      const answered = await ask(tx as unknown as Sql);
      return [answered, (await lookedAt(tx, table)) - before] as const;
    });

    t.is(about, rows / every);
    // A deletion finds each of them a second time.
    t.true(looked >= about && looked <= 3 * about, `${looked} rows were read`);
  });
}

async function lookedAt(tx: Transaction, table: string): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables where relname = ${table}`;
  return row?.rows ?? 0;
}
