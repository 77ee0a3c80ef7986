import type { Sql } from '../../../infra/ports/sql.ts';
import { Gathered } from '../reads/gathered.ts';
import { speaksForRun } from '../reads/inference.ts';

const inferenceToken = /^inf_[0-9a-f]{64}$/;

/**
 * The live run that a token of a claim speaks for. Asked anew with each request: a token is worth nothing
 * from the moment at which its run has ended, nor from a ban of its validator or of the version's miner on,
 * by which the run ends a little later. Nor before: the end that was told with it was foreseen at the claim,
 * and an outage of ours lengthens a run by any time. A completion asks once more when it begins, since its body
 * may come any time later.
 *
 * Many in one statement: whoever makes tokens up costs the database no more than those who have one. Nobody is
 * refused unlooked for what others did: a token is new with each run, so honest agents behind the same address
 * would lose their first completions to whoever makes some up there.
 */
export class RunTokens {
  readonly #hash: (text: string) => string;
  readonly #runs: Gathered<string | undefined>;

  constructor(sql: Sql, hash: (text: string) => string) {
    this.#hash = hash;
    this.#runs = new Gathered((hashes) => runsOfTokens(sql, hashes), undefined);
  }

  /** Undefined for what is no token, or one that is worth nothing. */
  async runOf(token: string): Promise<string | undefined> {
    return inferenceToken.test(token) ? await this.#runs.load(this.#hash(token)) : undefined;
  }
}

async function runsOfTokens(
  sql: Sql,
  tokensSha256: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ tokenSha256: string; evalRunId: string }[]>`
    select t.token_sha256 as "tokenSha256", t.eval_run_id as "evalRunId"
    from inference_token t
    join evaluation_run r on r.eval_run_id = t.eval_run_id
    join agent_version v on v.agent_version_id = r.agent_version_id
    where t.token_sha256 = any(${tokensSha256 as string[]}::text[]) and ${speaksForRun(sql)}`;
  return new Map(rows.map(({ tokenSha256, evalRunId }) => [tokenSha256, evalRunId]));
}
