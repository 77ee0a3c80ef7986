import { z } from 'zod';
import { randomId } from '../../../infra/ids/ids.ts';
import type { Listener } from './participant-event.ts';
import { expectOk, refusalOf } from './refusal.ts';
import type { SignedClient } from './signed-client.ts';

export interface MinerOptions {
  readonly who: string;
  readonly client: SignedClient;
  readonly onEvent: Listener;
}

export interface AgentFile {
  readonly agentName: string;
  readonly code: string;
}

const acceptance = z.object({ agent_version_id: z.string() });

const listing = z.object({
  agents: z.array(
    z.object({
      agent_name: z.string(),
      latest_version: z.object({ agent_version_id: z.string(), state: z.string() }).nullable(),
    }),
  ),
  next_allowed_at: z.string().nullable(),
});

export type MinerListing = z.infer<typeof listing>;

export async function listAgents({ client }: MinerOptions): Promise<MinerListing> {
  return listing.parse(expectOk('the listing', await client.request('GET', '/v1/miner/agents')));
}

/** Stores a credential; false when the provider refuses it, as any but an embedded one does. */
export async function connectProvider(
  { client }: MinerOptions,
  provider: string,
  credential: string,
): Promise<boolean> {
  const path = `/v1/miner/inference-auth/${provider}`;
  const { status } = await client.request('POST', path, { json: { credential } });
  return status === 200;
}

/** Submits one file; the id of its version, or undefined when it was refused. */
export async function submitAgent(
  { who, client, onEvent }: MinerOptions,
  { agentName, code }: AgentFile,
): Promise<string | undefined> {
  const form = new FormData();
  form.set('agent_name', agentName);
  form.set('file', new Blob([code], { type: 'text/x-python' }), `${agentName}.py`);
  onEvent({ kind: 'submitted', who, agentName });
  // A repeat after a lost answer must not meet the cooldown that the first attempt started.
  const idempotencyKey = randomId();
  const reply = await client.request('POST', '/v1/miner/submit', { form, idempotencyKey });
  if (reply.status !== 200) {
    onEvent({ kind: 'refused', who, agentName, refusal: refusalOf(reply) });
    return undefined;
  }
  const { agent_version_id: agentVersionId } = acceptance.parse(reply.body);
  onEvent({ kind: 'accepted', who, agentName, agentVersionId });
  return agentVersionId;
}
