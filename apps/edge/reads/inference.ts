import { isOpenToken } from '../../../actors/services/credentials/open-token.ts';
import type { ProviderId } from '../../../infra/ports/inference.ts';
import type { Fragment, Sql } from '../../../infra/ports/sql.ts';

/** What the runs that asked one provider within the last day have used of it. */
export interface InferenceTotals {
  readonly provider: ProviderId;
  readonly requests: number;
  readonly failures: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export async function listInferenceTotals(sql: Sql): Promise<readonly InferenceTotals[]> {
  return await sql<InferenceTotals[]>`
    select provider, sum(requests)::float8 as requests, sum(failures)::float8 as failures,
      sum(prompt_tokens)::float8 as "promptTokens",
      sum(completion_tokens)::float8 as "completionTokens"
    from inference_usage
    -- The clock once: asked for each row, all that there ever were would be read.
    where last_at > (select rt.clock()) - interval '24 hours'
    group by provider
    order by provider`;
}

/** What a completion of a run depends on. */
export interface InferenceRun {
  readonly minerHotkey: string;
  /** Of the miner. A credential that was refused since may have lent a key that is good still. */
  readonly connected: readonly ProviderId[];
  /** The id of the key that each provider has lent to the run, and that was not withdrawn. */
  readonly lent: Readonly<Partial<Record<ProviderId, string>>>;
  /** Counted so far. */
  readonly requests: number;
  /** Since its claim. */
  readonly ageMs: number;
  /** Until its limit, as its owner wrote it down: outages of ours move it. Null where nothing was written yet. */
  readonly limitInMs: number | null;
}

/**
 * The token `t` of the run `r` is worth something: the run lives, and neither its validator nor the miner of
 * its version `v` is banned. Whoever asks for a completion is let in by it, and once more when it begins.
 */
export function speaksForRun(sql: Sql): Fragment {
  return sql`${isOpenToken(sql)} and r.status in ('CLAIMED', 'RUNNING')
    and not exists (
      select from hotkey_ban b where b.hotkey in (r.validator_hotkey, v.miner_hotkey))`;
}

/** Undefined for a run whose token is worth nothing, or that has none. */
export async function findInferenceRun(
  sql: Sql,
  evalRunId: string,
): Promise<InferenceRun | undefined> {
  const [row] = await sql<InferenceRun[]>`
    select t.miner_hotkey as "minerHotkey",
      array(select c.provider from inference_credential c
        where c.miner_hotkey = t.miner_hotkey) as connected,
      (select coalesce(jsonb_object_agg(k.provider, k.key_id), '{}') from inference_key k
        where k.eval_run_id = t.eval_run_id and k.withdrawn_at is null) as lent,
      (select coalesce(sum(u.requests), 0) from inference_usage u
        where u.eval_run_id = t.eval_run_id)::integer as requests,
      floor(extract(epoch from rt.clock() - r.claimed_at) * 1000)::float8 as "ageMs",
      ceil(extract(epoch from b.run_limit_until - rt.clock()) * 1000)::float8 as "limitInMs"
    from inference_token t
    join evaluation_run r on r.eval_run_id = t.eval_run_id
    join agent_version v on v.agent_version_id = r.agent_version_id
    left join run_beat b on b.eval_run_id = t.eval_run_id
    where t.eval_run_id = ${evalRunId} and ${speaksForRun(sql)}`;
  return row;
}
