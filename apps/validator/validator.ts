import { join } from 'node:path';
import type { Keypair } from '../../infra/crypto/sr25519-signer.ts';
import { randomId } from '../../infra/ids/ids.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import type { PaddockClient } from '../cli/client/paddock.generated.ts';
import { Refusal, Unanswered } from '../cli/client/refusal.ts';
import type { Claim, CompletionResult } from '../cli/client/schemas.generated.ts';
import { Claims } from './claims.ts';
import { type Identity, serviceClient, sessionIdentity, signingIdentity } from './credentials.ts';
import type { CompletionBody, Delivered, Delivery } from './delivery/delivery.ts';
import { DeliveryQueue, type QueueOptions } from './delivery/delivery-queue.ts';
import { type GivenBack, Releases } from './delivery/releases.ts';
import { sendDelivery } from './delivery/send-delivery.ts';
import { hostReport } from './host-report.ts';
import { restMs } from './rest.ts';
import type { Conclusion } from './run/conclude.ts';
import { evaluateRun } from './run/evaluate-run.ts';
import { RunLease } from './run/run-lease.ts';
import { type NotedRun, type RunNote, runNote } from './run/run-note.ts';
import type { Sandbox } from './sandbox/find-sandbox.ts';
import type { ValidatorConfig } from './validator-settings.ts';

export interface ValidatorOptions {
  readonly config: ValidatorConfig;
  readonly keypair: Keypair;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/**
 * Claims work and evaluates it, one run at a time, until it is stopped.
 *
 * 1. Results, completions and releases are on disk before they are sent, and leave it only when answered; a
 *    release after a day at the latest, and what is left of a run as soon as the run is lost or given back.
 *    Completions and releases are sent even where the disk takes nothing, while this process lives.
 * 2. A run that it holds is completed, released or lost; a restart completes what was played to its end
 *    before a crash, and releases what was not.
 * 3. No agent is ever run outside of the sandbox that was tried at the start.
 */
export class Validator {
  readonly hotkey: string;
  readonly #options: ValidatorOptions;
  readonly #identity: Identity;
  /** Reads are repeated; what is queued has repeats of its own. */
  readonly #api: PaddockClient;
  readonly #queue: DeliveryQueue;
  readonly #releases: Releases;
  readonly #note: RunNote;
  readonly #claims: Claims;
  readonly #draining = new AbortController();
  readonly #drained = aborted(this.#draining.signal);
  /** Aborts when a claim that was under way at the drain is waited for no longer. */
  readonly #unclaimed = new AbortController();
  readonly #stopping = new AbortController();
  readonly #stopped = aborted(this.#stopping.signal);
  #working: Promise<void> = Promise.resolve();
  #isUnheardSaid = false;

  static async start(options: ValidatorOptions): Promise<Validator> {
    const { config, clock, keypair, log, telemetry } = options;
    const proof = { baseUrl: config.PADDOCK_URL, keypair, clock };
    const identity =
      config.VALIDATOR_AUTH === 'session' ? sessionIdentity(proof) : signingIdentity(proof);
    const once = serviceClient(proof, identity, 0);
    const onUnproved = () => identity.forget();
    const keptIn = (name: string): QueueOptions => ({
      folder: join(config.VALIDATOR_DATA_DIR, name),
      send: (one, signal) => sendDelivery(once, one, { onUnproved, clock, signal }),
      ...{ clock, log },
      onRetry: () => telemetry.count('paddock.validator.retries'),
    });
    const queue = await DeliveryQueue.open(keptIn('queue'));
    const releases = await Releases.open(keptIn('releases')).catch(async (error: unknown) => {
      await queue.stop();
      throw error;
    });
    telemetry.gauge('paddock.validator.unsent', () => queue.size + releases.size);
    const claims = await Claims.open({ folder: config.VALIDATOR_DATA_DIR, clock, log });
    const validator = new Validator(options, identity, { queue, releases, claims });
    validator.#working = validator.#work();
    return validator;
  }

  private constructor(
    options: ValidatorOptions,
    identity: Identity,
    { queue, releases, claims }: Kept,
  ) {
    const { config, clock, keypair } = options;
    this.#options = options;
    this.#identity = identity;
    this.#queue = queue;
    this.#releases = releases;
    this.#claims = claims;
    this.hotkey = identity.hotkey;
    const proof = { baseUrl: config.PADDOCK_URL, keypair, clock };
    this.#api = serviceClient(proof, identity, patienceMs, (error) => this.#sayUnheard(error));
    this.#note = runNote(config.VALIDATOR_DATA_DIR);
  }

  /**
   * Claims nothing more; the run at hand may go on for a while and is given back after it, one that a claim
   * under way brings at once. What could not be sent stays on disk.
   */
  async stop(): Promise<void> {
    const { clock, config } = this.#options;
    this.#draining.abort();
    const done = new AbortController();
    const after = (ms: number, late: AbortController) =>
      clock.sleep(ms, done.signal).then(() => late.abort());
    const late = Promise.all([
      after(answerMs, this.#unclaimed),
      after(config.VALIDATOR_DRAIN_SECONDS * 1000, this.#stopping),
    ]);
    await this.#working;
    done.abort();
    await late;
    await Promise.all([this.#queue.stop(), this.#releases.stop()]);
  }

  /** Once: a wrong address is seen at the start, and not after the minute for which an outage is waited out. */
  #sayUnheard(error: unknown): void {
    if (this.#isUnheardSaid) return;
    this.#isUnheardSaid = true;
    const url = this.#options.config.PADDOCK_URL;
    this.#options.log.warn('the service was not heard; asking again', { url, ...reasonOf(error) });
  }

  async #work(): Promise<void> {
    const { clock, config, log } = this.#options;
    await this.#recover().catch((error: unknown) => log.error('not recovered', { error }));
    let inVain = 0;
    while (!this.#draining.signal.aborted) {
      const turn = await this.#workOnce().catch((error: unknown): Turn => {
        if (this.#draining.signal.aborted) return 'idle';
        if (error instanceof Refusal && error.status === 401) this.#identity.forget();
        // A refusal says all there is to say; a defect shows where it is.
        log.warn('nothing was claimed', reasonOf(error));
        return 'idle';
      });
      if (turn === 'worked') inVain = 0;
      if (turn === 'in vain') inVain += 1;
      if (turn === 'worked') continue;
      const untilNextMs = restMs(config.VALIDATOR_IDLE_SECONDS, turn === 'idle' ? 0 : inVain);
      await clock.sleep(untilNextMs, this.#draining.signal);
    }
  }

  /** After a crash: what was finished is sent, what was not is given back. */
  async #recover(): Promise<void> {
    const left = await this.#note.read();
    const others = this.#queue.evalRunIds.filter((id) => id !== left?.eval_run_id);
    await Promise.all([
      left === undefined ? undefined : this.#recoverNoted(left),
      ...others.map((evalRunId) => this.#recoverUnnoted(evalRunId)),
    ]);
    await this.#queue.untilEmpty(this.#draining.signal);
  }

  /** What is left of a run whose note went when it was lost or given back, or cannot be read. */
  async #recoverUnnoted(evalRunId: string): Promise<void> {
    const completion = this.#queue.completionOf(evalRunId);
    // Nobody will ever complete it.
    if (completion === undefined) return await this.#queue.drop(evalRunId);
    await using lease = this.#leaseOf(evalRunId, usualHeartbeatSeconds * 1000, this.#options.log);
    const settled = await this.#settled(completion, lease, this.#drained);
    if (settled === 'lost') await this.#queue.drop(evalRunId);
  }

  async #recoverNoted(left: NotedRun): Promise<void> {
    const { eval_run_id: evalRunId, completion: body } = left;
    const queued = this.#queue.completionOf(evalRunId);
    if (queued !== undefined) await this.#completeLeft(left, queued);
    // Without waiting for what is left of it: nothing is worth keeping it from others for as long.
    else if (body === undefined) await this.#release(evalRunId, 'an earlier process left it');
    else {
      // Should the service have it already, it refuses this one, and nothing changes.
      const { outcome } = await this.#putCompletion(left, body);
      await this.#completeLeft(left, outcome);
    }
  }

  /**
   * Its results and its end wait in the queue; the service is to have them before anything new. That can
   * take as long as a store is away, and a lease that ends meanwhile would make them worth nothing.
   */
  async #completeLeft(left: NotedRun, outcome: Promise<Delivered>): Promise<void> {
    const { eval_run_id: evalRunId } = left;
    const everyMs = (left.heartbeat_interval_seconds ?? usualHeartbeatSeconds) * 1000;
    await using lease = this.#leaseOf(evalRunId, everyMs, this.#options.log);
    const settled = await this.#settled(outcome, lease, this.#drained);
    if (settled === 'lost') await this.#lose(evalRunId, String(lease.lost.reason));
    else if (settled?.kind === 'refused') await this.#release(evalRunId, refusedText(settled));
    else if (settled !== undefined) await this.#forget(evalRunId);
  }

  /** What became of a completion; 'lost' where nobody is to have it any more, undefined where `end` came first. */
  async #settled(outcome: Promise<Delivered>, lease: RunLease, end: Promise<undefined>) {
    const { clock } = this.#options;
    const done = new AbortController();
    // A heartbeat that says so may have overtaken the answer to the very completion that ended the run. One that is
    // lost comes again with the next repeat; but some never come, and the service has what it needs.
    const gone = async () => {
      await aborted(lease.lost);
      if (lease.isCompleted) await Promise.race([outcome, clock.sleep(overtakenMs, done.signal)]);
      await clock.sleep(answerMs, done.signal);
      return 'lost' as const;
    };
    const settled = await Promise.race([outcome, end, gone()]);
    done.abort();
    return settled;
  }

  #leaseOf(evalRunId: string, everyMs: number, log: Logger): RunLease {
    const { clock, sandbox } = this.#options;
    return new RunLease({
      ...{ api: this.#api, evalRunId, clock, log, everyMs },
      report: () => hostReport(sandbox),
      onUnproved: () => this.#identity.forget(),
    });
  }

  async #workOnce(): Promise<Turn> {
    const { log, sandbox } = this.#options;
    const { signal } = this.#unclaimed;
    const claim = await this.#claims.next(this.#api, hostReport(sandbox), signal);
    if (claim === undefined) return 'idle';
    const { eval_run_id: evalRunId } = claim;
    if (this.#releases.isGiving(evalRunId)) {
      // It would be taken away from under our hands, as soon as the service hears what we asked for.
      await this.#claims.settle();
      return 'in vain';
    }
    try {
      // Before a heartbeat says that it is held: whoever is killed from then on has left a note of it.
      await this.#note.write(noteOf(claim));
    } catch (error) {
      log.error('failed by our own doing', { eval_run_id: evalRunId, error });
      const turn = await this.#giveBack(evalRunId, { end: 'released', reason: outage });
      await this.#claims.settle();
      return turn;
    }
    await this.#claims.settle();
    if (this.#draining.signal.aborted)
      return await this.#giveBack(evalRunId, { end: 'released', reason: 'stopping' });
    return await this.#hold(claim);
  }

  async #hold(claim: Claim): Promise<Turn> {
    const { eval_run_id: evalRunId, phase, agent_version_id } = claim;
    const log = this.#options.log.with({ eval_run_id: evalRunId });
    log.info('claimed', { phase, agent_version_id });
    await using lease = this.#leaseOf(evalRunId, claim.heartbeat_interval_seconds * 1000, log);
    const refused = new AbortController();
    const signal = AbortSignal.any([lease.lost, refused.signal, this.#stopping.signal]);
    try {
      const conclusion = await this.#evaluate(claim, { log, signal, refused });
      return await this.#conclude(claim, conclusion, { log, lease });
    } catch (error) {
      // Not by the error: whatever was under way may have said it in words of its own.
      if (lease.lost.aborted) return await this.#lose(evalRunId, String(lease.lost.reason));
      if (this.#stopping.signal.aborted)
        return await this.#giveBack(evalRunId, { end: 'released', reason: 'stopping' });
      if (refused.signal.aborted)
        return await this.#giveBack(evalRunId, {
          end: 'refused',
          reason: String(refused.signal.reason),
        });
      log.error('failed by our own doing', { error });
      return await this.#giveBack(evalRunId, { end: 'released', reason: outage });
    }
  }

  /** The service may take a run for reasons of its own, such as a race that was cancelled. */
  async #lose(evalRunId: string, reason: string): Promise<Turn> {
    this.#options.log.warn('lost', { eval_run_id: evalRunId, reason });
    await this.#queue.drop(evalRunId);
    await this.#forget(evalRunId);
    this.#count('lost');
    return 'idle';
  }

  /** Ends a run that came to nothing here. */
  async #giveBack(
    evalRunId: string,
    { end, reason }: { readonly end: 'refused' | 'released'; readonly reason: string },
  ): Promise<Turn> {
    const answer = await this.#release(evalRunId, reason);
    if (answer?.kind === 'refused') return await this.#lose(evalRunId, answer.reason);
    this.#count(end);
    return 'in vain';
  }

  async #release(evalRunId: string, reason: string): Promise<GivenBack> {
    const { isKept, answer } = await this.#releases.give(evalRunId, reason);
    await this.#queue.drop(evalRunId);
    if (isKept) await this.#forget(evalRunId);
    const answered = await answer;
    // Until then the note alone tells the next process of it.
    if (!isKept && answered !== undefined) await this.#forget(evalRunId);
    return answered;
  }

  /** The next process has nothing to do for it any more; would it all the same, that changes nothing. */
  async #forget(evalRunId: string): Promise<void> {
    await this.#note.clear().catch((error: unknown) => {
      this.#options.log.error('its note stays', { eval_run_id: evalRunId, error });
    });
  }

  async #evaluate(
    claim: Claim,
    by: { readonly log: Logger; readonly signal: AbortSignal; readonly refused: AbortController },
  ): Promise<Conclusion> {
    const { config, sandbox, clock, telemetry } = this.#options;
    const { log, signal, refused } = by;
    return await evaluateRun(claim, {
      ...{ api: this.#api, sandbox, clock, log, telemetry, signal },
      packFolder: join(config.VALIDATOR_DATA_DIR, 'packs'),
      batchSize: config.VALIDATOR_BATCH_SIZE,
      keep: async (one: Delivery) => {
        const { outcome } = await this.#queue.put(one);
        // A run without one of its episodes is worth its score all the same.
        if (one.kind === 'episode') return;
        void outcome.then((end) => {
          if (end.kind === 'refused') refused.abort(`its results were refused: ${end.reason}`);
        });
      },
      concluded: async (completion) => {
        await this.#note.write({ ...noteOf(claim), completion }).catch((error: unknown) => {
          // What was played is not lost with it: this process tells it all the same.
          log.error('how the run ended is not on disk yet', { error });
        });
      },
    });
  }

  async #conclude(
    claim: Claim,
    end: Conclusion,
    { log, lease }: { readonly log: Logger; readonly lease: RunLease },
  ): Promise<Turn> {
    const { eval_run_id: evalRunId } = claim;
    if (end.kind === 'release') {
      log.warn('gives the run back', { reason: end.reason });
      return await this.#giveBack(evalRunId, { end: 'released', reason: end.reason });
    }
    const { body } = end;
    const { outcome, isKept } = await this.#putCompletion(noteOf(claim), body);
    const settled = await this.#settled(outcome, lease, this.#stopped);
    if (settled === 'lost') return await this.#lose(evalRunId, String(lease.lost.reason));
    if (settled === undefined) {
      const next = isKept ? 'the completion is sent' : 'the run is given back';
      log.warn(`stopping before the completion was acknowledged; ${next} at the next start`);
      return 'in vain';
    }
    if (settled.kind === 'refused')
      return await this.#giveBack(evalRunId, { end: 'refused', reason: refusedText(settled) });
    await this.#forget(evalRunId);
    this.#count(body.terminal_status.toLowerCase());
    sayCompleted(log, body, settled);
    // A pack or a download that failed would fail the next run as soon as it is claimed.
    return body['failure_class'] === 'PLATFORM' ? 'in vain' : 'worked';
  }

  /**
   * Certain when it resolves, if it is kept, by the run's note alone where the queue takes nothing; what becomes of it
   * follows.
   */
  async #putCompletion(run: NotedRun, body: CompletionBody) {
    const { eval_run_id: evalRunId } = run;
    const idempotencyKey = randomId();
    const completion = { kind: 'completion', evalRunId, idempotencyKey, body } as const;
    try {
      const { outcome } = await this.#queue.put(completion);
      return { outcome, isKept: true };
    } catch (error) {
      this.#options.log.error('a completion is not in the queue', {
        eval_run_id: evalRunId,
        error,
      });
      const noted = this.#note.write({ ...run, completion: body });
      const isKept = await noted.then(
        () => true,
        () => false,
      );
      return { ...this.#queue.putUnkept(completion), isKept };
    }
  }

  #count(end: string): void {
    this.#options.telemetry.count('paddock.validator.runs', 1, { end });
  }
}

/** What one turn came to: nothing was to be had, a run was concluded, or one came to nothing here. */
type Turn = 'idle' | 'in vain' | 'worked';

interface Kept {
  readonly queue: DeliveryQueue;
  readonly releases: Releases;
  readonly claims: Claims;
}

const patienceMs = 60_000;
/** As long as an edge works for an answer; a claim's may come in the middle of a drain, with a run. */
const answerMs = 10_000;
/** Of repeats to a service that says itself that it is there. */
const overtakenMs = 10 * 60_000;
const outage = 'a defect or an outage';
/** As services ask for, unless told otherwise. */
const usualHeartbeatSeconds = 30;

function noteOf({ eval_run_id, heartbeat_interval_seconds }: Claim): NotedRun {
  return { eval_run_id, heartbeat_interval_seconds };
}

function refusedText({ reason }: Extract<Delivered, { kind: 'refused' }>): string {
  return `its completion was refused: ${reason}`;
}

function sayCompleted(
  log: Logger,
  body: Readonly<Record<string, unknown>>,
  settled: Exclude<Delivered, { kind: 'refused' }>,
): void {
  // As the service's own description of the route says.
  const answer = settled.answer as CompletionResult;
  log.info('completed', {
    status: answer.status,
    score: body['validator_score'] ?? null,
    failure_class: body['failure_class'] ?? null,
    failure_reason: body['failure_reason'] ?? null,
    became_eligible: answer.agent_version_became_eligible,
  });
}

function reasonOf(error: unknown) {
  const isPlain = error instanceof Refusal || error instanceof Unanswered;
  return isPlain ? { reason: error.message } : { error };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
