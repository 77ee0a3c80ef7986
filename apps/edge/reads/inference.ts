import type { ProviderId } from '../../../infra/ports/inference.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

/** What a completion of a run depends on. */
export interface InferenceRun {
  readonly minerHotkey: string;
  /** Of the miner, with a credential that was not refused since. */
  readonly connected: readonly ProviderId[];
  /** Counted so far. */
  readonly requests: number;
}

/** Undefined for a run without a token. */
export async function findInferenceRun(
  sql: Sql,
  evalRunId: string,
): Promise<InferenceRun | undefined> {
  const [row] = await sql<InferenceRun[]>`
    select t.miner_hotkey as "minerHotkey",
      array(select c.provider from inference_credential c
        where c.miner_hotkey = t.miner_hotkey and c.rejected_at is null) as connected,
      (select coalesce(sum(u.requests), 0) from inference_usage u
        where u.eval_run_id = t.eval_run_id)::integer as requests
    from inference_token t
    where t.eval_run_id = ${evalRunId}`;
  return row;
}
