import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { HttpAnswer } from '../../../apps/world/participants/http-exchange.ts';
import type { Content } from '../../../apps/world/participants/signed-client.ts';
import type { Outcome, Sent, Told } from './history.ts';

const routes: readonly (readonly [RegExp, Sent['kind']])[] = [
  [/^\/v1\/validator\/work\/claim$/, 'claim'],
  [/^\/v1\/validator\/episode-results$/, 'results'],
  [/^\/v1\/validator\/evaluation-runs\/[^/]+\/heartbeat$/, 'heartbeat'],
  [/^\/v1\/validator\/evaluation-runs\/[^/]+\/complete$/, 'complete'],
  [/^\/v1\/validator\/evaluation-runs\/[^/]+\/release$/, 'release'],
  [/^\/v1\/validator\/weight-salt$/, 'standings'],
  [/^\/v1\/miner\/submit$/, 'submit'],
];

interface SentItem {
  readonly eval_run_id: string;
  readonly task_id: string;
}

/** What is written down of a request; nothing of those that write nothing. */
export function sentBy(path: string, content: Content): Sent | undefined {
  const kind = routes.find(([route]) => route.test(path))?.[1];
  if (kind === undefined) return undefined;
  const isKeyed = content.idempotencyKey !== undefined;
  if (kind === 'results') {
    const { results } = content.json as { readonly results: readonly SentItem[] };
    const evalRunId = results[0]?.eval_run_id ?? '';
    return { kind, evalRunId, taskIds: results.map(({ task_id: id }) => id), isKeyed };
  }
  const evalRunId = /evaluation-runs\/([^/]+)\//.exec(path)?.[1];
  const ofRun = evalRunId === undefined ? {} : { evalRunId };
  if (kind !== 'complete') return { kind, isKeyed, ...ofRun };
  return { kind, isKeyed, ...ofRun, digest: sha256(JSON.stringify(content.json)) };
}

/** An answer without any effect, or one that may have had it. */
function outcomeOf({ status, headers }: HttpAnswer): Outcome {
  if (status < 400) return 'acknowledged';
  if (status < 500 || headers['x-admission'] === 'rejected') return 'rejected';
  return 'unknown';
}

const refusal = z.object({ error_code: z.string().optional(), run_status: z.string().optional() });

function refusalOf(body: Buffer): { readonly code: string; readonly runStatus: string } {
  const { data } = refusal.safeParse(jsonOf(body));
  return { code: data?.error_code ?? '', runStatus: data?.run_status ?? '' };
}

const claimed = z.object({
  eval_run_id: z.string(),
  agent_version_id: z.string(),
  lease_expires_at: z.string(),
});
const beaten = z.object({ lease_expires_at: z.string() });
const stored = z.object({
  results: z.array(z.object({ status: z.number(), episode_result_id: z.string().nullable() })),
});
const completed = z.object({
  status: z.string(),
  agent_version_became_eligible: z.boolean(),
  final_score: z.number().nullable(),
});
const submitted = z.object({ agent_version_id: z.string() });
const standings = z.object({ eligible: z.boolean(), epoch_index: z.number() });

/** What a client makes of an answer that arrived whole. */
export interface Reading {
  readonly outcome: Outcome;
  readonly code: string;
  readonly told: Told;
  /** What no weather explains. */
  readonly defect: string | undefined;
}

/** `kind` is undefined for what writes nothing. */
export function readingOf(kind: Sent['kind'] | undefined, answer: HttpAnswer): Reading {
  const outcome = outcomeOf(answer);
  const { status, body } = answer;
  try {
    if (outcome === 'acknowledged') {
      const told = kind === undefined ? {} : toldBy(kind, answer);
      if (kind === undefined) jsonOf(body);
      return { outcome, code: '', told, defect: undefined };
    }
    const { code, runStatus } = refusalOf(body);
    const told = runStatus === '' ? {} : { runStatus };
    const defect = isDefect(status) ? `was answered ${status} ${code}` : undefined;
    return { outcome, code, told, defect };
  } catch (error) {
    // Every answer of ours can be read; nobody knows what this one was to say.
    const why = String(error).replaceAll(/\s+/g, ' ').slice(0, 200);
    const defect = `was answered ${status}, which cannot be read: ${why}`;
    return { outcome: 'unknown', code: '', told: {}, defect };
  }
}

/** What the service cannot do now it says with 503 and a code; any other 5xx is its own mistake. */
function isDefect(status: number): boolean {
  return status >= 500 && status !== 503;
}

/** Throws for an acknowledgement that does not parse. */
function toldBy(kind: Sent['kind'], { status, body }: HttpAnswer): Told {
  if (status === 204) return {};
  if (status !== 200) throw new Error('nobody is acknowledged so');
  const json = jsonOf(body);
  switch (kind) {
    case 'claim': {
      const claim = claimed.parse(json);
      const leaseUntilMs = Date.parse(claim.lease_expires_at);
      const { eval_run_id: evalRunId, agent_version_id: agentVersionId } = claim;
      return { evalRunId, agentVersionId, leaseUntilMs };
    }
    case 'heartbeat':
      return { leaseUntilMs: Date.parse(beaten.parse(json).lease_expires_at) };
    case 'results': {
      const { results } = stored.parse(json);
      const resultIds = results.map(({ episode_result_id: id }) => id);
      return { statuses: results.map((item) => item.status), resultIds };
    }
    case 'complete': {
      const answer = completed.parse(json);
      const { agent_version_became_eligible: becameEligible, final_score: finalScore } = answer;
      return { runStatus: answer.status, becameEligible, finalScore };
    }
    case 'submit':
      return { agentVersionId: submitted.parse(json).agent_version_id };
    case 'standings': {
      const { eligible, epoch_index: epoch } = standings.parse(json);
      return eligible ? { epoch, bodySha256: sha256(body) } : {};
    }
    case 'release':
      return {};
  }
}

function jsonOf(body: Buffer): unknown {
  return body.length === 0 ? null : JSON.parse(body.toString());
}

function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
