import type { ProviderId, ServedModel } from '../../../infra/ports/inference.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { isDue } from '../is-due.ts';
import type { Usage } from './messages.ts';

export const tables = ['inference_request', 'inference_snapshot', 'inference_usage'] as const;

/** Adds one completion to what its run has used, unless this request is counted already. */
export async function countRequest(sql: Sql, requestId: string, usage: Usage): Promise<void> {
  const { evalRunId, provider, modelId, promptTokens, completionTokens } = usage;
  await sql`
    with fresh as (
      insert into inference_request (request_id, counted_at)
      values (${requestId}, rt.wall_clock())
      on conflict do nothing
      returning request_id
    )
    insert into inference_usage as u (eval_run_id, provider, model_id, requests, failures,
      prompt_tokens, completion_tokens, last_at)
    select ${evalRunId}::uuid, ${provider}, ${modelId}, 1, ${usage.isFailure ? 1 : 0}::integer,
      ${promptTokens}::bigint, ${completionTokens}::bigint, rt.clock()
    from fresh
    on conflict (eval_run_id, provider, model_id) do update
    set requests = u.requests + excluded.requests,
      failures = u.failures + excluded.failures,
      prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = u.completion_tokens + excluded.completion_tokens,
      last_at = greatest(u.last_at, excluded.last_at)`;
}

/** Of requests that nobody repeats any more. */
export async function deleteCounted(sql: Sql, keepSeconds: number, limit: number): Promise<number> {
  const gone = await sql`
    delete from inference_request
    where request_id = any(array(
      select request_id from inference_request
      where counted_at < (select rt.wall_clock()) - ${keepSeconds} * interval '1 second'
      order by counted_at
      limit ${limit}
    ))`;
  return gone.count;
}

/** Whether it is this process's turn to look at the provider: nobody did within `restMs`. */
export async function takeTurn(sql: Sql, provider: ProviderId, restMs: number): Promise<boolean> {
  const rows = await sql`
    insert into inference_snapshot as s (provider, tried_at)
    values (${provider}, rt.wall_clock())
    on conflict (provider) do update
    set tried_at = excluded.tried_at
    where ${isDue(sql, sql`s.tried_at + ${restMs} * interval '1 millisecond'`, restMs)}
    returning provider`;
  return rows.length > 0;
}

export async function keepSnapshot(
  sql: Sql,
  provider: ProviderId,
  models: readonly ServedModel[],
): Promise<void> {
  await sql`
    update inference_snapshot
    set models = ${JSON.stringify(models)}::text::jsonb, polled_at = rt.wall_clock()
    where provider = ${provider}`;
}
