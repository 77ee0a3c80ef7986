import { isOpenToken } from '../../../actors/services/credentials/open-token.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

const inferenceToken = /^inf_[0-9a-f]{64}$/;

/**
 * The live run that a token of a claim speaks for; undefined for anything else. Asked anew with each
 * request: a token is worth nothing from the moment at which its run has ended, nor from a ban of its
 * validator or of the version's miner on, by which the run ends a little later. Nor before: the end that
 * was told with it was foreseen at the claim, and an outage of ours lengthens a run by any time.
 */
export async function runOfToken(
  sql: Sql,
  token: string,
  hash: (text: string) => string,
): Promise<string | undefined> {
  if (!inferenceToken.test(token)) return undefined;
  const [row] = await sql<{ evalRunId: string }[]>`
    select t.eval_run_id as "evalRunId"
    from inference_token t
    join evaluation_run r on r.eval_run_id = t.eval_run_id
    join agent_version v on v.agent_version_id = r.agent_version_id
    where t.token_sha256 = ${hash(token)} and ${isOpenToken(sql)}
      and r.status in ('CLAIMED', 'RUNNING')
      and not exists (
        select from hotkey_ban b where b.hotkey in (r.validator_hotkey, v.miner_hotkey))`;
  return row?.evalRunId;
}
