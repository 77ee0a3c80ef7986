import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';

/** How many versions an agent has, and how many agents a miner. */
const versionsPerAgent = 5;
const agentsPerMiner = 2;

/** Common, rare and absent, by how the names below are made. */
export const searches = { common: 'careful', rare: '-31415', absent: 'zebra' } as const;

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Gives a suite so many eligible versions, made in the database itself; no trigger runs. */
export async function loadVersions(sql: Sql, suiteId: number, count: number): Promise<void> {
  const agents = Math.ceil(count / versionsPerAgent);
  const miners = Math.ceil(agents / agentsPerMiner);
  await transaction(sql, { statementTimeoutMs: 300_000 }, async (tx) => {
    await tx`set local session_replication_role = replica`;
    // Made anew in one go, which takes seconds; row by row it takes minutes.
    const indexes = await tx<{ name: string; definition: string }[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'agent_version'
        and indexname not in (select conname from pg_constraint)`;
    for (const { name } of indexes) await tx`drop index ${tx(name)}`;
    // As long as a real one, and as alike at the front.
    await tx`
      insert into miner (hotkey)
      select '5' || translate(left(md5('m' || n) || md5('n' || n), 47), '0123456789abcdef',
        ${base58.slice(9, 25)})
      from generate_series(0, ${miners - 1}) n`;
    await tx`
      insert into agent (agent_id, miner_hotkey, agent_name, created_at)
      select md5('agent ' || n)::uuid, '5' || translate(
          left(md5('m' || n / ${agentsPerMiner}::int) || md5('n' || n / ${agentsPerMiner}::int), 47),
          '0123456789abcdef', ${base58.slice(9, 25)}),
        (array['Careful', 'Bold', 'Quick', 'Plain'])[1 + n % 4] || ' agent-' || n, rt.clock()
      from generate_series(0, ${agents - 1}) n`;
    await tx`
      insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
        version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
        qualifying_score, score_low, score_high, final_score, eligible_at, required_successes)
      select md5(agent_id::text || number)::uuid, 0, agent_id, agent_name, miner_hotkey, number,
        ${suiteId}, 'ELIGIBLE', at, 'c0de', 1000, score, score * 0.95, score, score,
        at + interval '1 hour', 2
      from (
        select agent_id, agent_name, miner_hotkey, number,
          rt.clock() - interval '1 year' * random() as at, (random() * 0.999)::numeric(5,4) as score
        from agent, generate_series(1, ${versionsPerAgent}::int) number
      ) drawn
      limit ${count}`;
    for (const { definition } of indexes) await tx.unsafe(definition);
    // Reported on, as they are within minutes: who would do so now must not be measured along.
    await tx`
      insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at,
        code_sha256, fingerprinted_at, unreadable, reported_at)
      select agent_version_id, miner_hotkey, miner_hotkey, submitted_at, code_sha256, rt.clock(),
        'the store does not have the file', rt.clock()
      from agent_version v
      where not exists (
        select from similarity_version s where s.agent_version_id = v.agent_version_id)`;
  });
  await sql`vacuum analyze agent_version, agent, miner, similarity_version`;
}
