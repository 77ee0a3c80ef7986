import { z } from 'zod';
import type { ParticipantEvent } from '../../apps/world/participants/participant-event.ts';
import type { Content, Reply, SignedClient } from '../../apps/world/participants/signed-client.ts';

const claimed = z.object({
  eval_run_id: z.string(),
  agent_version_id: z.string(),
  lease_expires_at: z.string(),
});
const beaten = z.object({ lease_expires_at: z.string() });
const stored = z.object({
  results: z.array(
    z.object({
      eval_run_id: z.string().nullable(),
      task_id: z.string().nullable(),
      status: z.number(),
      episode_result_id: z.string().nullable(),
    }),
  ),
});
const completed = z.object({
  status: z.string(),
  agent_version_became_eligible: z.boolean(),
  final_score: z.number().nullable(),
});
const submitted = z.object({ agent_version_id: z.string() });

export interface AcknowledgedRun {
  readonly validatorHotkey: string;
  readonly agentVersionId: string;
}

export interface AcknowledgedCompletion {
  readonly status: string;
  readonly becameEligible: boolean;
  readonly finalScore: number | null;
}

const runAction = /evaluation-runs\/([^/]+)\/([a-z-]+)$/;
/** Of one run, kept for its story. */
const askedMax = 8;

interface Asked {
  readonly action: string;
  readonly atMs: number;
  /** Undefined until it is answered. */
  answer: { readonly status: number; readonly afterMs: number } | undefined;
}

/**
 * What clients were told, from their side of the wire: whatever was acknowledged here must be found
 * in the database afterwards. A request without an answer is in none of these.
 */
export class LifecycleHistory {
  readonly claims = new Map<string, AcknowledgedRun>();
  /** The latest lease end that a claim or heartbeat promised, by run. */
  readonly leaseUntilMs = new Map<string, number>();
  /** Ids of stored results, by `run task`. */
  readonly results = new Map<string, string>();
  readonly completions = new Map<string, AcknowledgedCompletion>();
  readonly released = new Set<string>();
  /** Versions, by id, and the hotkey that submitted them. */
  readonly submissions = new Map<string, string>();
  /** Runs whose validator went silent by intention. */
  readonly silent = new Set<string>();
  /** What no checker of the database could see, such as a second 201 of one result. */
  readonly contradictions: string[] = [];
  /** Answers by `kind status`. */
  readonly answers = new Map<string, number>();
  readonly troubles: string[] = [];
  worstGapMs = 0;
  longestWait = { ms: 0, kind: 'none' };
  /** What was last asked of each run, newest last. */
  readonly #asked = new Map<string, Asked[]>();
  #lastGoodMs: number | undefined;

  /** The client, with everything it is told written down. */
  recorded(client: SignedClient): SignedClient {
    return {
      hotkey: client.hotkey,
      request: async (method, path, content) => {
        const startedMs = performance.now();
        const asked = this.#ask(path);
        const reply = await client.request(method, path, content);
        asked.answer = { status: reply.status, afterMs: performance.now() - startedMs };
        this.#answered(path, reply, startedMs);
        if (reply.status === 200) this.#acknowledged(path, reply, { client, content });
        return reply;
      },
    };
  }

  /** A participant's own story. */
  readonly onEvent = (event: ParticipantEvent): void => {
    if (event.kind === 'silent') this.silent.add(event.evalRunId);
    if (event.kind === 'trouble') this.troubles.push(`${event.who}: ${String(event.error)}`);
  };

  /** The last words between a run's validator and the service, for whoever must say what went wrong. */
  storyOf(evalRunId: string): string {
    const asked = this.#asked.get(evalRunId) ?? [];
    return asked.map(wordOf).join(', ');
  }

  #ask(path: string): Asked {
    const [, evalRunId = '', action = ''] = runAction.exec(path) ?? [];
    const asked: Asked = { action, atMs: Date.now(), answer: undefined };
    if (evalRunId === '') return asked;
    const all = this.#asked.get(evalRunId) ?? [];
    this.#asked.set(evalRunId, [...all.slice(1 - askedMax), asked]);
    return asked;
  }

  #answered(path: string, { status }: Reply, startedMs: number): void {
    const nowMs = performance.now();
    const kind = `${path.replaceAll(/[0-9a-f]{64}|[0-9a-f-]{36}/g, '…')} ${status}`;
    this.answers.set(kind, (this.answers.get(kind) ?? 0) + 1);
    const ms = nowMs - startedMs;
    if (ms > this.longestWait.ms) this.longestWait = { ms, kind };
    if (status >= 400) return;
    this.worstGapMs = Math.max(this.worstGapMs, nowMs - (this.#lastGoodMs ?? nowMs));
    this.#lastGoodMs = nowMs;
  }

  #acknowledged(
    path: string,
    { body }: Reply,
    { client, content }: { readonly client: SignedClient; readonly content: Content | undefined },
  ): void {
    if (path === '/v1/miner/submit') {
      this.submissions.set(submitted.parse(body).agent_version_id, client.hotkey);
    }
    if (path === '/v1/validator/work/claim') this.#claimed(claimed.parse(body), client);
    if (path === '/v1/validator/episode-results') this.#stored(stored.parse(body), content);
    const [, evalRunId = '', action] = runAction.exec(path) ?? [];
    if (action === 'heartbeat') this.#promised(evalRunId, beaten.parse(body).lease_expires_at);
    if (action === 'release') this.released.add(evalRunId);
    if (action === 'complete') this.#completed(evalRunId, completed.parse(body));
  }

  #claimed(claim: z.infer<typeof claimed>, { hotkey }: SignedClient): void {
    const { eval_run_id: evalRunId, agent_version_id: agentVersionId } = claim;
    const before = this.claims.get(evalRunId);
    if (before !== undefined && before.validatorHotkey !== hotkey) {
      this.contradictions.push(`run ${evalRunId} was given to two validators`);
    }
    this.claims.set(evalRunId, { validatorHotkey: hotkey, agentVersionId });
    this.#promised(evalRunId, claim.lease_expires_at);
  }

  #promised(evalRunId: string, leaseExpiresAt: string): void {
    const untilMs = Date.parse(leaseExpiresAt);
    const before = this.leaseUntilMs.get(evalRunId) ?? 0;
    this.leaseUntilMs.set(evalRunId, Math.max(before, untilMs));
  }

  #stored({ results }: z.infer<typeof stored>, content: Content | undefined): void {
    const sent = (content?.json as { results?: readonly unknown[] } | undefined)?.results?.length;
    if (sent !== results.length) {
      this.contradictions.push(`${sent} results were sent and ${results.length} answered`);
    }
    for (const item of results) {
      if (item.status !== 201) continue;
      const key = `${item.eval_run_id} ${item.task_id}`;
      if (this.results.has(key)) this.contradictions.push(`result ${key} was stored twice`);
      this.results.set(key, item.episode_result_id ?? '');
    }
  }

  #completed(evalRunId: string, answer: z.infer<typeof completed>): void {
    const before = this.completions.get(evalRunId);
    const { status, agent_version_became_eligible: becameEligible } = answer;
    if (before !== undefined && before.status !== status) {
      this.contradictions.push(`run ${evalRunId} was answered ${before.status} and ${status}`);
    }
    this.completions.set(evalRunId, { status, becameEligible, finalScore: answer.final_score });
  }
}

function wordOf({ action, atMs, answer }: Asked): string {
  const at = new Date(atMs).toISOString().slice(11, 23);
  if (answer === undefined) return `${at} ${action} unanswered`;
  return `${at} ${action} ${answer.status} after ${Math.round(answer.afterMs)} ms`;
}
