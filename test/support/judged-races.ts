import { randomUUID } from 'node:crypto';
import type { Sql } from '../../infra/ports/sql.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { trialPolicy } from './trial-races.ts';

/** The scores of each entrant's one run, in 10^-6, and what it was judged again to. */
export type Judged = Readonly<Record<string, readonly [score: number, verdict?: number]>>;

/** Completed races of a day each with the same entrants, by name; nobody reigned before the first. */
export interface JudgedRaces {
  readonly raceIds: readonly string[];
  readonly versionIds: ReadonlyMap<string, string>;
  readonly rejudgingId: string;
}

const policy = { ...trialPolicy, qualifyingThreshold: '0.5500', requiredSuccesses: 1 };

/** As their owners leave them: races with what was stored of them, and a rejudging that is READY. */
export async function plantJudgedRaces(
  sql: Sql,
  suiteId: number,
  races: readonly {
    readonly judged: Judged;
    readonly anchor: string;
    readonly challenged?: string;
  }[],
): Promise<JudgedRaces> {
  const names = Object.keys(races[0]?.judged ?? {});
  const versionIds = new Map(names.map((name) => [name, randomUUID()]));
  const raceIds = races.map(() => randomUUID());
  const rejudgingId = randomUUID();
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    for (const [name, versionId] of versionIds) {
      await tx`
        insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
          version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
          qualifying_score, required_successes)
        values (${versionId}, 0, ${randomUUID()}, ${name}, ${`miner-${name}`}, 1, ${suiteId}, 'ELIGIBLE',
          rt.clock(), ${'c'.repeat(64)}, 1, 0.7, 1)`;
    }
    await tx`
      insert into rejudging (rejudging_id, suite_id, criteria, reason, actor, created_at)
      values (${rejudgingId}, ${suiteId}, '{}', null, 'operator:ann', rt.clock())`;
    for (const [index, { judged, anchor, challenged = null }] of races.entries()) {
      const raceId = raceIds[index] ?? '';
      const age = races.length - index;
      await tx`
        insert into race (race_id, part, suite_id, race_number, status, policy_version, policy,
          opened_at, qualifying_closes_at, completed_at, top50_mean, top50_std, challenged_score)
        values (${raceId}, 0, ${suiteId}, ${index + 1}, 'RACE_COMPLETE', 0,
          ${JSON.stringify(policy)}::text::jsonb, rt.clock() - ${age + 1} * interval '1 day',
          rt.clock() - ${age + 1} * interval '1 day', rt.clock() - ${age} * interval '1 day',
          ${anchor}::numeric, 0, ${challenged}::numeric)`;
      for (const [name, [score, verdict = null]] of Object.entries(judged)) {
        const versionId = versionIds.get(name) ?? '';
        const runId = randomUUID();
        await tx`
          insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type,
            race_score, weighted_score)
          values (${raceId}, ${versionId}, ${`miner-${name}`}, 'QUALIFIED', ${score}::float8 / 1000000,
            ${score}::float8 / 1000000)`;
        await tx`
          insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id,
            phase, race_id, execution_kind, validator_hotkey, slot, fence, status, is_included,
            score_micro, claimed_at, lease_expires_at, completed_at, expected_items)
          values (${runId}, 0, ${randomUUID()}, ${versionId}, ${suiteId}, 'RACE', ${raceId}, 'envpack',
            'val-1', 0, 1, 'SUCCESS', true, ${score}, rt.clock() - ${age} * interval '1 day', rt.clock(),
            rt.clock(), 1)`;
        if (verdict === null) continue;
        await tx`
          insert into rejudging_run (rejudging_id, ordinal, eval_run_id)
          select ${rejudgingId}, count(*) + 1, ${runId} from rejudging_run`;
        const [work] = await tx<{ id: string }[]>`
          insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
            race_id, state, required_successes, queued_at, queue_order_at, rejudging_id, judged_run_id,
            closed_at, close_reason)
          values (${randomUUID()}, 0, ${versionId}, ${`miner-${name}`}, ${suiteId}, 'RACE', ${raceId},
            'JUDGED', 1, rt.clock(), rt.clock(), ${rejudgingId}, ${runId}, rt.clock(), 'JUDGED')
          returning work_item_id as id`;
        await tx`
          insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id,
            phase, race_id, execution_kind, validator_hotkey, slot, fence, status, is_included,
            exclusion_reason, score_micro, claimed_at, lease_expires_at, completed_at, expected_items,
            rejudging_id, judged_run_id)
          values (${randomUUID()}, 0, ${work?.id ?? ''}, ${versionId}, ${suiteId}, 'RACE', ${raceId},
            'envpack', 'val-3', 0, 1, 'SUCCESS', false, 'REJUDGING', ${verdict}, rt.clock(), rt.clock(),
            rt.clock(), 1, ${rejudgingId}, ${runId})`;
      }
    }
  });
  return { raceIds, versionIds, rejudgingId };
}
