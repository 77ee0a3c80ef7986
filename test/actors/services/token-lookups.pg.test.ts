import test from 'ava';
import { keyFacts, tokenFacts } from '../../../actors/services/credentials/loan-store.ts';
import { RunTokens } from '../../../apps/edge/auth/run-tokens.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';

/** Runs with a token each, of a version of their own. */
async function runsWithTokens(
  admin: Sql,
  of: { readonly status: 'RUNNING' | 'SUCCESS'; readonly from: number; readonly count: number },
): Promise<void> {
  const { status, from, count } = of;
  const isOver = status === 'SUCCESS';
  await transaction(admin, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`create temporary table planted on commit drop as
      select n, md5('run' || n)::uuid as run_id, md5('version' || n)::uuid as version_id
      from generate_series(${from}::integer, ${from + count - 1}::integer) n`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, claimed_at, completed_at,
        lease_expires_at, expected_items)
      select run_id, n % 64, version_id, version_id, 1, 'QUALIFYING', 'envpack', 'val-' || n, 0, 1,
        ${status}, rt.clock(), case when ${isOver} then rt.clock() end,
        rt.clock() + interval '1 hour', 30
      from planted`;
    await tx`
      insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey, version_number,
        suite_id, state, submitted_at, code_sha256, code_size_bytes, required_successes)
      select version_id, n % 64, version_id, 'mine', 'miner-' || n, 1, 1, 'RUNNING', rt.clock(),
        'hash', 1, 2
      from planted`;
    await tx`
      insert into inference_token (eval_run_id, miner_hotkey, provider, token_sha256, issued_at,
        expires_at, ended_at)
      select run_id, 'miner-' || n, 'providera', 'hash-' || n, rt.clock(),
        rt.clock() + interval '2 hours', case when ${isOver} then rt.clock() end
      from planted`;
  });
}

// A table of years, of which a count sees no token that is open; agents ask hundreds of times in a run.
test('what asks for one token reads no other, also of thousands that no count of the rows has seen', async (t) => {
  const { sql } = await testDatabase(t);
  await runsWithTokens(sql, { status: 'SUCCESS', from: 1, count: 20_000 });
  await sql`vacuum analyze inference_token, evaluation_run, agent_version`;
  await runsWithTokens(sql, { status: 'RUNNING', from: 20_001, count: 1_500 });
  const [run] = await sql<{ id: string }[]>`select md5('run21000')::uuid as id`;
  const id = run?.id ?? '';
  const lookups = {
    runOf: (tx: Sql) => new RunTokens(tx, () => 'hash-21000').runOf(`inf_${'0'.repeat(64)}`),
    keyFacts: (tx: Sql) => keyFacts(tx, id, 'providera'),
    tokenFacts: (tx: Sql) => tokenFacts(tx, id, 3_600),
  };
  for (const [name, lookUp] of Object.entries(lookups)) {
    const [found, looked] = await lookedAt<unknown>(sql, 'inference_token', lookUp);

    t.truthy(found, name);
    t.is(looked, 1, name);
  }
});

// A flood of them would take its connections from those who ask for sessions and bans.
test('tokens that come together are looked up in one statement', async (t) => {
  const { sql } = await testDatabase(t);
  await runsWithTokens(sql, { status: 'RUNNING', from: 1, count: 1 });
  let statements = 0;
  const counting = new Proxy(sql, {
    apply: (target, self, [text, ...values]) => {
      if (String(text).includes('from inference_token')) statements += 1;
      return Reflect.apply(target, self, [text, ...values]);
    },
  });
  const tokens = new RunTokens(counting, (token) => `hash-${Number.parseInt(token.slice(4), 16)}`);
  const token = (at: number) => `inf_${at.toString(16).padStart(64, '0')}`;
  const asks = Array.from({ length: 400 }, (_, at) => tokens.runOf(token(at)));

  const runs = await Promise.all([...asks, tokens.runOf('ses_0'), tokens.runOf(token(1))]);

  t.is(statements, 1);
  t.deepEqual(
    runs.flatMap((run, at) => (run === undefined ? [] : [at])),
    [1, 401],
  );
});
