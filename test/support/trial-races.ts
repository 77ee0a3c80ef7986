import { uuidV5 } from '../../infra/ids/ids.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import type { RacePolicy } from '../../machines/race/policy.ts';

/** Rows of races that nobody ran, for readers of races. */
export const trialPolicy: RacePolicy = {
  qualifyingThreshold: '0.5500',
  requiredSuccesses: 2,
  raceTasks: 90,
  eliminationShareMicro: 650_000,
  windowRaces: 3,
  marginInitialMicro: 10_000,
  marginFloorMicro: 0,
  marginHalfLifeMs: 864_000_000,
  burnRateMicro: 0,
  raceLimitMs: 72_000_000,
  embargoMs: 0,
};

export const trialId = (name: string) => uuidV5('00000000-0000-0000-0000-000000000000', name);

export async function addActiveSuite(sql: Sql, suiteVersion = 1): Promise<number> {
  await sql`update suite set is_active = false where is_active`;
  const [row] = await sql<{ suiteId: number }[]>`
    insert into suite (suite_version, is_active, execution_kind, benchmark_name, benchmark_number,
                       environment, qualifying_threshold, required_successes_qualifying,
                       required_successes_race, created_at, activated_at)
    values (${suiteVersion}, true, 'legacy_benchmark', 'Trial', 1, '{}', 0.55, 2, 2, rt.clock(),
            rt.clock())
    returning suite_id as "suiteId"`;
  return row?.suiteId ?? 0;
}

/** An eligible version of a hotkey; its id follows from the hotkey. */
export async function addVersion(sql: Sql, suiteId: number, hotkey: string): Promise<string> {
  const agentId = trialId(`agent ${hotkey}`);
  const versionId = trialId(hotkey);
  await sql`insert into miner (hotkey) values (${hotkey}) on conflict do nothing`;
  await sql`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    values (${agentId}, ${hotkey}, ${`agent of ${hotkey}`}, rt.clock())
    on conflict do nothing`;
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
                               version_number, suite_id, state, submitted_at, code_sha256,
                               code_size_bytes, qualifying_score, eligible_at, required_successes)
    values (${versionId}, 0, ${agentId}, ${`agent of ${hotkey}`}, ${hotkey}, 1, ${suiteId},
            'ELIGIBLE', rt.clock(), ${'ab'.repeat(32)}, 100, 0.6, rt.clock(), 2)
    on conflict do nothing`;
  return versionId;
}

export interface TrialEntrant {
  readonly hotkey: string;
  /** Undefined for one that did not finish. */
  readonly score?: string;
  readonly isEliminated?: boolean;
}

export interface TrialRace {
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly entrants: readonly TrialEntrant[];
  readonly status?: string;
  readonly policy?: Partial<RacePolicy>;
  /** Hours ago. */
  readonly completedAgo?: number;
  readonly releasedIn?: number;
}

/** A race that is over, unless told otherwise, with the versions that raced. */
export async function addRace(sql: Sql, race: TrialRace): Promise<string> {
  const { suiteId, raceNumber, entrants, status = 'RACE_COMPLETE', completedAgo = 24 } = race;
  const raceId = trialId(`race ${suiteId} ${raceNumber}`);
  const policy = { ...trialPolicy, ...race.policy };
  const isComplete = status === 'RACE_COMPLETE';
  const releasedIn = (race.releasedIn ?? -completedAgo) * 3600;
  await sql`
    insert into race (race_id, part, suite_id, race_number, status, policy_version, policy,
                      opened_at, qualifying_closes_at, closed_at, started_at, completed_at,
                      released_at, qualifier_count, scored_count)
    select ${raceId}, ${suiteId % 4}, ${suiteId}, ${raceNumber}, ${status}, 0,
           ${JSON.stringify(policy)}::text::jsonb, t.at - interval '3 hours',
           t.at - interval '2 hours', t.at - interval '2 hours', t.at - interval '2 hours',
           case when ${isComplete} then t.at end,
           case when ${isComplete} then rt.clock() + ${`${releasedIn} seconds`}::text::interval end,
           ${entrants.length}, 0
    from (select rt.clock() - ${`${completedAgo} hours`}::text::interval as at) t`;
  for (const entrant of entrants) {
    const versionId = await addVersion(sql, suiteId, entrant.hotkey);
    await sql`
      insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type,
                                qualifying_score, race_score, is_eliminated, unfinished_reason)
      values (${raceId}, ${versionId}, ${entrant.hotkey}, 'QUALIFIED', 0.6,
              ${entrant.score ?? null}, ${entrant.isEliminated ?? false},
              ${entrant.score === undefined ? 'NOT_FINISHED' : null})`;
  }
  return raceId;
}

/** Ends the reign that is open and begins another, `daysAgo`, in one transaction. */
export async function addTop(
  sql: Sql,
  reign: { suiteId: number; raceId: string; hotkey: string; score: string; daysAgo?: number },
): Promise<void> {
  const since = `${reign.daysAgo ?? 0} days`;
  await transaction(sql, {}, async (tx) => {
    // Nobody reigns for longer than the suite is active.
    await tx`
      update suite set activated_at = least(activated_at, rt.clock() - ${since}::text::interval)
      where suite_id = ${reign.suiteId}`;
    await tx`
      update top_agent set ended_at = greatest(top_at, rt.clock()), end_reason = 'OUTRANKED'
      where ended_at is null`;
    await tx`
      insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score,
                             top_at)
      values (${crypto.randomUUID()}, ${reign.suiteId}, ${trialId(reign.hotkey)}, ${reign.hotkey},
              ${reign.raceId}, ${reign.score},
              rt.clock() - ${since}::text::interval)`;
  });
}
