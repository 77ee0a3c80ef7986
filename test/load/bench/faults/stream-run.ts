import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { WireAnswer } from '../../http-connection.ts';
import { resultsBody } from '../../results-body.ts';
import type { Connections } from './connections.ts';
import { SampleLog } from './sample-log.ts';
import {
  type AcknowledgedClaim,
  type ClaimStream,
  type LifecycleStream,
  lifeKeys,
  type RequestStream,
  type Stream,
  type StreamResult,
  type WireRequest,
} from './streams.ts';
import { factorAt, type Phase } from './windows.ts';

/** One thing that is due; never rejects. */
export type Step = () => Promise<void>;

const claimAnswer = z.object({ eval_run_id: z.string(), agent_version_id: z.string() });
const countsAnswer = z.object({ counts: z.record(z.string(), z.number()) });
const triesMax = 20;
const retryMs = 250;

/** How a stream stands: what is due, what was answered, what was acknowledged. */
export class StreamRun {
  readonly claims: AcknowledgedClaim[] = [];
  readonly completed: string[] = [];
  readonly results: (readonly [evalRunId: string, count: number])[] = [];
  readonly #stream: Stream;
  readonly #connections: Connections;
  readonly #phases: readonly Phase[];
  readonly #log = new SampleLog();
  /** Validators without a lifecycle under way. */
  readonly #idle: number[] = [];
  #claimsUnderWay = 0;
  #startedMs = 0;
  #nextMs = 0;
  #count = 0;

  constructor(stream: Stream, connections: Connections, phases: readonly Phase[]) {
    this.#phases = phases;
    this.#stream = stream;
    this.#connections = connections;
    if (stream.kind === 'lifecycles') this.#idle.push(...stream.validators.keys());
  }

  start(): void {
    this.#startedMs = nowMs();
    this.#nextMs = this.#startedMs;
  }

  /** At even intervals: a gap is known as exactly as the interval is short. */
  due(): readonly Step[] {
    const steps: Step[] = [];
    for (; this.#nextMs <= nowMs(); this.#nextMs += this.#intervalMs()) {
      const step = this.#step(this.#nextMs, this.#count++);
      if (step !== undefined) steps.push(step);
    }
    return steps;
  }

  #intervalMs(): number {
    const factor = factorAt(this.#phases, this.#nextMs - this.#startedMs);
    return 1000 / (this.#stream.perSecond * factor);
  }

  result(): StreamResult {
    return { name: this.#stream.name, ...this.#log.result() };
  }

  #step(dueMs: number, index: number): Step | undefined {
    const stream = this.#stream;
    switch (stream.kind) {
      case 'requests':
        return this.#request(stream, dueMs, index);
      case 'claims':
        return this.#claimOnly(stream, dueMs, index);
      case 'lifecycles':
        return this.#lifecycle(stream, dueMs, index);
    }
  }

  #request({ requests, isOnce }: RequestStream, dueMs: number, index: number): Step | undefined {
    if (isOnce === true && index >= requests.length) return undefined;
    const request = requests[index % requests.length];
    if (request === undefined) return undefined;
    return async () => void (await this.#send(request, dueMs));
  }

  #claimOnly(stream: ClaimStream, dueMs: number, index: number): Step | undefined {
    const { validators, underWayMax } = stream;
    if (this.#claimsUnderWay >= underWayMax) return undefined;
    this.#claimsUnderWay += 1;
    return async () => {
      await this.#claim(validators, index % validators.length, dueMs);
      this.#claimsUnderWay -= 1;
    };
  }

  /** Nobody free: the next one due finds somebody again. */
  #lifecycle(stream: LifecycleStream, dueMs: number, index: number): Step | undefined {
    const validator = this.#idle.shift();
    if (validator === undefined) return undefined;
    const isCompleted = index % 100 < stream.completedPercent;
    return async () => {
      try {
        await this.#live(stream, validator, { dueMs, isCompleted });
      } finally {
        this.#idle.push(validator);
      }
    };
  }

  async #live(
    stream: LifecycleStream,
    validator: number,
    { dueMs, isCompleted }: { readonly dueMs: number; readonly isCompleted: boolean },
  ): Promise<void> {
    const evalRunId = await this.#claim(stream.validators, validator, dueMs);
    if (evalRunId === undefined) return;
    const head = stream.validators[validator] ?? '';
    const post = (what: keyof typeof lifeKeys, path: string, body: string) =>
      this.#insist({ method: 'POST', path, head, body, key: lifeKeys[what] });
    const run = `/v1/validator/evaluation-runs/${evalRunId}`;
    if ((await post('start', `${run}/heartbeat`, '{}')) === undefined) return;
    if (!isCompleted) return void (await post('release', `${run}/release`, ''));
    const batch = resultsBody(stream, evalRunId);
    const stored = await post('results', '/v1/validator/episode-results', batch);
    if (stored === undefined) return;
    const { counts } = countsAnswer.parse(JSON.parse(stored.body));
    this.results.push([evalRunId, (counts['201'] ?? 0) + (counts['409'] ?? 0)]);
    const end = { terminal_status: 'SUCCESS', validator_score: 0.5 };
    const done = await post('completion', `${run}/complete`, JSON.stringify(end));
    if (done !== undefined) this.completed.push(evalRunId);
  }

  /** The run, if there was one to be had. */
  async #claim(
    validators: readonly string[],
    validator: number,
    dueMs: number,
  ): Promise<string | undefined> {
    const head = validators[validator] ?? '';
    const path = '/v1/validator/work/claim';
    const { claim: key } = lifeKeys;
    const answer = await this.#send({ method: 'POST', path, head, body: '{}', key }, dueMs);
    if (answer?.status !== 200) return undefined;
    const atMs = nowMs();
    const claimed = claimAnswer.parse(JSON.parse(answer.body));
    const { eval_run_id: evalRunId, agent_version_id: agentVersionId } = claimed;
    this.claims.push({ evalRunId, agentVersionId, validator, atMs });
    return evalRunId;
  }

  /** As a validator does: what was not answered well is asked again for a while. */
  async #insist(request: WireRequest): Promise<WireAnswer | undefined> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const answer = await this.#send(request, nowMs());
      if (answer !== undefined && answer.status < 300) return answer;
      if (answer !== undefined && answer.status < 500) return undefined;
      await sleep(retryMs);
    }
    return undefined;
  }

  async #send(request: WireRequest, dueMs: number): Promise<WireAnswer | undefined> {
    const sending = this.#connections.send(request);
    // Opening a connection is the costliest part of it, and the generator's.
    const sentMs = nowMs();
    const answer = await sending.catch(() => undefined);
    this.#log.add({ key: request.key, dueMs, sentMs, doneMs: nowMs() }, answer);
    return answer;
  }
}

/** Unix milliseconds, finer than a clock of whole ones. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
