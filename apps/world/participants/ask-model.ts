import { z } from 'zod';
import type { RunContext } from './held-run.ts';
import { exchange } from './http-exchange.ts';
import type { Claim } from './validator-answers.ts';

const modelsAnswer = z.object({ models: z.array(z.string()) });

/** One token of an answer is as good as many for showing that there is one. */
const answerTokensMax = 8;

/**
 * What an agent in the sandbox does all the time, done once: asks the best ranked model by the claim's
 * token. A claim of a miner without a provider brings none, and then nobody asks.
 */
export async function askModel(claim: Claim, { who, onEvent }: RunContext): Promise<void> {
  const { inference_token: token, eval_run_id: evalRunId } = claim;
  if (token === null) return;
  const { provider, access_token: secret, base_url: baseUrl } = token;
  const status = await ask(provider, secret, baseUrl).catch(() => 0);
  const { agent_version_id: agentVersionId } = claim;
  onEvent({ kind: 'inferred', who, evalRunId, agentVersionId, provider, status });
}

/** The answer's status. */
async function ask(provider: string, secret: string, baseUrl: string): Promise<number> {
  const url = new URL('/v1/public/inference/models', baseUrl);
  url.search = new URLSearchParams({ provider, ranked: 'true' }).toString();
  const listed = await exchange({ method: 'GET', url: url.href });
  const [model] = modelsAnswer.parse(JSON.parse(listed.body.toString())).models;
  const messages = [{ role: 'user', content: 'Which of these is the cheapest?' }];
  const answer = await exchange({
    method: 'POST',
    url: `${baseUrl}/chat/completions`,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, max_tokens: answerTokensMax }),
  });
  return answer.status;
}
