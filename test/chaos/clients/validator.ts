import { randomUUID } from 'node:crypto';
import type { SignedClient } from '../../../apps/world/participants/signed-client.ts';
import {
  type Claim,
  claimAnswer,
  heartbeatAnswer,
} from '../../../apps/world/participants/validator-answers.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Build, Deed } from './habits.ts';
import type { History } from './history.ts';
import { downloadsCode, itemsOf, type Rosters, scoreOf, type Task } from './work.ts';

export interface ValidatorOptions {
  readonly client: SignedClient;
  readonly build: Build;
  readonly nextDeed: () => Deed;
  readonly history: History;
  readonly rosters: Rosters;
  readonly taskMs: number;
  readonly ending: AbortSignal;
}

const batchSize = 3;
const lateMs = { min: 300, max: 4_000 };
const queuePauseMs = 1_500;
/** Then the result is dropped, as a validator does whose queue is full. */
const queuePatienceMs = 60_000;

/** An honest validator with the habits of deployed ones: it may be late, twice, or silent. */
export class ChaosValidator {
  readonly #options: ValidatorOptions;
  /** Completions that nobody has answered yet. */
  readonly #queue = new Set<Promise<void>>();

  constructor(options: ValidatorOptions) {
    this.#options = options;
  }

  /** One run from its claim to its end; false when there was nothing to do. */
  async evaluateOne(): Promise<boolean> {
    const { client, history, nextDeed, ending } = this.#options;
    const reply = await client.request('POST', '/v1/validator/work/claim', {
      json: {},
      ...this.#key(),
    });
    if (reply.status === 409) return this.#waitForSlot();
    if (reply.status !== 200) return false;
    const run = new Held(claimAnswer.parse(reply.body), this.#options);
    const deed = ending.aborted ? 'gives back' : soberInRaces(run.claim, nextDeed());
    history.count(`deed: ${deed}`);
    try {
      await this.#do(deed, run);
    } finally {
      run.stopBeating();
    }
    return true;
  }

  async drain(): Promise<void> {
    await Promise.all(this.#queue);
  }

  /** Its last run still lives: an answer was lost, or a queue holds its end. */
  async #waitForSlot(): Promise<boolean> {
    this.#options.history.count('claims at capacity');
    await systemClock.sleep(queuePauseMs, this.#options.ending);
    return false;
  }

  async #do(deed: Deed, run: Held): Promise<void> {
    if (deed === 'gives back') return await run.release();
    if (deed === 'silent') return await this.#vanish(run);
    await run.beat();
    run.keepBeating();
    const { rosters, client, build, history } = this.#options;
    if (build.downloads) {
      const isWhole = await downloadsCode(run.claim).catch(() => false);
      history.count(isWhole ? 'downloads' : 'downloads that failed');
    }
    const tasks = await rosters.of(client, run.claim);
    if (deed === 'fails') {
      const json = {
        terminal_status: 'FAILED',
        failure_class: 'VALIDATOR',
        failure_reason: 'lost',
      };
      return await run.complete(json, this.#key());
    }
    const isWhole = await this.#play(deed, run, tasks);
    if (isWhole) await this.#conclude(deed, run, tasks);
  }

  /** False when the run was lost on the way. */
  async #play(deed: Deed, run: Held, tasks: readonly Task[]): Promise<boolean> {
    const { taskMs, history, ending } = this.#options;
    for (let at = 0; at < tasks.length; at += batchSize) {
      const batch = tasks.slice(at, at + batchSize);
      await systemClock.sleep(taskMs * batch.length, ending);
      if (deed === 'sleeps' && at > 0) await this.#sleepPastLease(run);
      else if (run.isLost) return false;
      const statuses = await run.sendResults(
        itemsOf(run.claim, batch, this.#options.client.hotkey),
      );
      // Whoever slept does not look at the answers: its completion is the attempt that counts.
      if (deed !== 'sleeps' && statuses.includes(422)) return false;
      if (deed !== 'sends again' || at > 0) continue;
      history.count('batches sent again');
      await run.sendResults(itemsOf(run.claim, batch, this.#options.client.hotkey));
    }
    return true;
  }

  async #conclude(deed: Deed, run: Held, tasks: readonly Task[]): Promise<void> {
    const score = scoreOf(run.claim, tasks, this.#options.client.hotkey);
    const json = { terminal_status: 'SUCCESS', validator_score: score };
    const key = this.#key();
    if (deed === 'queues') return this.#enqueue(run, json);
    await run.complete(json, key);
    if (deed === 'completes twice') await run.complete(json, key);
    if (deed === 'contradicts itself') {
      await run.complete({ terminal_status: 'TIMED_OUT', failure_reason: 'too slow' }, {});
    }
  }

  #enqueue(run: Held, json: object): void {
    const queued = this.#tryUntilAnswered(run, json).finally(() => this.#queue.delete(queued));
    this.#queue.add(queued);
  }

  async #tryUntilAnswered(run: Held, json: object): Promise<void> {
    const { history, ending } = this.#options;
    const deadlineMs = performance.now() + queuePatienceMs;
    while (performance.now() < deadlineMs) {
      const isAnswered = await run.complete(json, {}).then(
        () => true,
        () => false,
      );
      if (isAnswered) return;
      history.count('completions queued again');
      await systemClock.sleep(queuePauseMs, ending);
    }
  }

  async #vanish(run: Held): Promise<void> {
    if (Math.random() < 0.5) await run.beat();
    await this.#sleepPastLease(run);
    // It wakes up as if nothing had been.
    await run.beat();
    await run.complete({ terminal_status: 'SUCCESS', validator_score: 1 }, {});
  }

  async #sleepPastLease(run: Held): Promise<void> {
    const { history, ending } = this.#options;
    run.stopBeating();
    history.silent.add(run.claim.eval_run_id);
    const late = lateMs.min + Math.random() * (lateMs.max - lateMs.min);
    await systemClock.sleep(Math.max(0, run.leaseUntilMs - Date.now()) + late, ending);
    history.count('writes tried after the lease');
  }

  #key(): { readonly idempotencyKey?: string } {
    return this.#options.build.usesKeys ? { idempotencyKey: randomUUID() } : {};
  }
}

/**
 * A race is over when all of its work is, and one silent run is enough to keep it open: every outage
 * of ours lengthens its lease, and here is an outage every few seconds.
 */
function soberInRaces(claim: Claim, deed: Deed): Deed {
  const isSilent = deed === 'silent' || deed === 'sleeps';
  return claim.race_id !== null && isSilent ? 'works' : deed;
}

type Key = { readonly idempotencyKey?: string };

/** A claimed run in the hands of its validator. */
class Held {
  readonly claim: Claim;
  leaseUntilMs: number;
  isLost = false;
  readonly #options: ValidatorOptions;
  #beating: NodeJS.Timeout | undefined;
  #isBeating = false;

  constructor(claim: Claim, options: ValidatorOptions) {
    this.claim = claim;
    this.leaseUntilMs = Date.parse(claim.lease_expires_at);
    this.#options = options;
  }

  keepBeating(): void {
    const everyMs = this.claim.heartbeat_interval_seconds * 1000;
    this.#beating = setInterval(() => {
      if (this.#isBeating && !this.#options.build.beatsAnyway) return;
      this.#isBeating = true;
      void this.beat()
        .catch(() => undefined)
        .finally(() => {
          this.#isBeating = false;
        });
    }, everyMs);
  }

  stopBeating(): void {
    clearInterval(this.#beating);
  }

  async beat(): Promise<void> {
    const path = this.#path('heartbeat');
    const { status, body } = await this.#options.client.request('POST', path, { json: {} });
    if (status === 200) {
      const until = Date.parse(heartbeatAnswer.parse(body).lease_expires_at);
      this.leaseUntilMs = Math.max(this.leaseUntilMs, until);
      return;
    }
    this.isLost = true;
    this.stopBeating();
  }

  /** The status of each item. */
  async sendResults(results: readonly object[]): Promise<readonly number[]> {
    const path = '/v1/validator/episode-results';
    const { status, body } = await this.#options.client.request('POST', path, {
      json: { results },
    });
    if (status !== 200) throw new Error(`results were answered ${status}`);
    return (body as { results: { status: number }[] }).results.map((item) => item.status);
  }

  async complete(json: object, key: Key): Promise<void> {
    await this.#options.client.request('POST', this.#path('complete'), { json, ...key });
    this.stopBeating();
  }

  async release(): Promise<void> {
    await this.#options.client.request('POST', this.#path('release'));
  }

  #path(action: string): string {
    return `/v1/validator/evaluation-runs/${this.claim.eval_run_id}/${action}`;
  }
}
