import { randomUUID } from 'node:crypto';
import type { TestService } from './edge.ts';
import type { TestKey } from './edge-client.ts';
import { claimPath, complete, submit } from './evaluation-client.ts';
import { okBody } from './trial-suite.ts';

export interface InferenceClaim {
  readonly eval_run_id: string;
  readonly inference_token: {
    readonly provider: string;
    readonly access_token: string;
    readonly base_url: string;
    readonly expires_at: string;
  } | null;
}

export interface ChatOptions {
  readonly provider?: string;
  readonly signal?: AbortSignal;
  readonly token?: string;
}

/** A live run whose agent may ask language models. */
export interface AskingRun {
  readonly evalRunId: string;
  readonly token: string;
  readonly miner: TestKey;
  /** Of the first provider. */
  readonly credential: string;
  chat(body: object, options?: ChatOptions): Promise<Response>;
  /** As the operators' database has it, by provider and model. */
  usage(): Promise<readonly UsageRow[]>;
  /** The validator completes it. */
  end(): Promise<void>;
}

export interface UsageRow {
  readonly provider: string;
  readonly modelId: string;
  readonly requests: number;
  readonly failures: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export const modelA = 'maple/maple-70b-instruct';
export const question = (model: string = modelA) => ({
  model,
  messages: [{ role: 'user', content: 'Which shoe fits?' }],
});

/** A fresh miner with these providers, the first its default, whose agent a fresh validator runs. */
export async function askingRun(
  service: TestService,
  providers: readonly string[] = ['providera'],
): Promise<AskingRun> {
  const miner = await service.miner(`miner ${randomUUID()}`);
  const credential = `demo-${randomUUID()}`;
  for (const provider of providers) {
    await okBody(await miner.post(`/v1/miner/inference-auth/${provider}`, { credential }));
  }
  const { agent_version_id: versionId } = await submit(miner);
  const { validator, run } = await claimOf(service, versionId);
  const { eval_run_id: evalRunId, inference_token: granted } = run;
  if (granted === null) throw new Error('the claim brought no token');
  const { access_token: token } = granted;
  return {
    ...{ evalRunId, token, miner, credential },
    chat: (body, { provider = 'providera', signal, token: other = token } = {}) =>
      fetch(`${service.baseUrl}/v1/inference/${provider}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${other}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal !== undefined && { signal }),
      }),
    usage: async () => [
      ...(await service.sql<UsageRow[]>`
      select provider, model_id as "modelId", requests, failures,
        prompt_tokens::integer as "promptTokens", completion_tokens::integer as "completionTokens"
      from inference_usage where eval_run_id = ${evalRunId} order by provider, model_id`),
    ],
    end: async () => {
      const failed = { terminal_status: 'FAILED', failure_class: 'VALIDATOR' };
      await okBody(await complete(validator, evalRunId, failed));
    },
  };
}

interface OwnClaim extends InferenceClaim {
  readonly agent_version_id: string;
}

/** Fresh validators take what others have left open, until one has this version. */
async function claimOf(service: TestService, versionId: string) {
  for (;;) {
    const validator = await service.validator(`validator ${randomUUID()}`);
    const run = await okBody<OwnClaim>(await validator.post(claimPath));
    if (run.agent_version_id === versionId) return { validator, run };
  }
}
