import type { Sql } from '../../../infra/ports/sql.ts';
import type { JudgedRun } from '../../../machines/scoring/variance.ts';

/** The runs of a race by which its validators are compared: live, and without the banned. */
export async function judgedRuns(sql: Sql, raceId: string): Promise<readonly JudgedRun[]> {
  return await sql<JudgedRun[]>`
    select r.agent_version_id as "agentVersionId", r.validator_hotkey as "validatorHotkey",
      r.score_micro as "scoreMicro"
    from evaluation_run r
    where r.race_id = ${raceId} and r.status = 'SUCCESS' and r.is_included
      and not exists (select from hotkey_ban b where b.hotkey = r.validator_hotkey)`;
}
