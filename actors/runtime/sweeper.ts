import type { PartitionBus, Subscription } from '../../infra/ports/bus.ts';
import { LastCount } from '../../infra/ports/last-count.ts';
import type { OutboxStore } from '../../infra/ports/outbox-store.ts';
import type { RuntimePolicy } from './policy.ts';
import { publishTraced, type RelayDeps } from './relay.ts';

export interface SweeperDeps extends RelayDeps {
  readonly bus: Pick<PartitionBus, 'connected' | 'onNewBroker'>;
  readonly outbox: OutboxStore;
  readonly policy: RuntimePolicy;
}

/** 2 MB: up to some ten thousand messages, which are looked up in a tenth of a second. */
const purgePages = 250;
/** A stretch with so many that were taken is followed by others like it, and these by no pause. */
const purgedMany = 1_000;
/** More than others send again meanwhile, or what was taken piles up before what is due. */
const purgeRoundsMax = 3;
/** Pages that are all but empty, as after a pile, take a hundredth of it: a look goes round them all. */
const purgeMs = 100;
/** Of a pile that waits, looks are to take a twentieth of the time. */
const purgePauses = 20;
/** A process that was stopped in the middle of a look had a long one. */
const purgePauseMaxMs = 60_000;
const takeMax = 100;
/** A broker that is there and takes nothing is starting, or lost its streams. */
const unsentMs = 2_000;
/**
 * After a broker was started, for it may have lost everything. All hosts see that within about a second:
 * what the first one has made due, the others leave so.
 */
const hastenMs = 2_000;
/** A consumer that is so far behind gets enough to do from these. */
const hastenMax = 10_000;
/** Of a pile each lies on another page, and so many are within what a statement may take on any disk. */
const hastenStep = 1_000;
/** A backlog is worked off many at a time, and other processes sweep as well. */
const roundsMax = 20;
/** The streams forget after three days; whatever they may still deliver must be known here. */
const keepProofsMs = 7 * 24 * 3_600_000;
const expireMax = 1_000;
const expireEveryMs = 60_000;
/** Tens of thousands are counted within milliseconds, and no more are. */
const measureEveryMs = 10_000;

/**
 * Ends outbox rows whose consumption is proved, and sends again those without proof: at their time, and
 * soon after the broker was started, or this process, which cannot know what happened before it. Any
 * number of processes may sweep: rows that another one has in hand are skipped.
 */
export class Sweeper {
  readonly #deps: SweeperDeps;
  readonly #stops: (() => void)[] = [];
  #brokers: Subscription | undefined;
  #mayBeLost = true;
  #expiredMs = Number.NEGATIVE_INFINITY;
  #purgeFromMs = Number.NEGATIVE_INFINITY;
  /** Where the next stretch begins. */
  #purgePage = 0;
  #backlog = { pending: 0, oldestAgeMs: 0 };
  readonly #measured: LastCount;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
    this.#measured = new LastCount({ ...deps, everyMs: measureEveryMs, what: 'outbox' });
  }

  start(): void {
    const { bus, clock, policy, telemetry } = this.#deps;
    this.#brokers = bus.onNewBroker(() => {
      this.#mayBeLost = true;
    });
    this.#stops.push(
      clock.every(policy.sweepEveryMs, () => this.#sweep()),
      clock.every(measureEveryMs, () => this.#measure()),
      this.#measured.show(),
      telemetry.gauge('paddock.outbox.pending', () => this.#measured.known(this.#backlog.pending)),
      telemetry.gauge('paddock.outbox.age', () =>
        this.#measured.known(this.#backlog.oldestAgeMs / 1000),
      ),
    );
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    void this.#brokers?.close();
  }

  async #measure(): Promise<void> {
    await this.#measured.attempt(async () => {
      this.#backlog = await this.#deps.outbox.backlog();
    });
  }

  /** What others wait for comes first, and no step is kept from its work by another that fails. */
  async #sweep(): Promise<void> {
    await this.#attempt('hasten', () => this.#hasten());
    await this.#attempt('send', () => this.#sendDue());
    await this.#attempt('purge', () => this.#purge());
    await this.#attempt('expire', () => this.#expire());
  }

  async #attempt(step: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#deps.log.warn('sweep failed', { step, error });
    }
  }

  async #sendDue(): Promise<void> {
    const { bus, outbox, policy } = this.#deps;
    // Without a broker every try would only put the rows off further.
    for (let round = 0; bus.connected && round < roundsMax; round += 1) {
      const due = await outbox.takeDue(takeMax, policy.sweepAfterMs);
      await this.#resend(due);
      if (due.length < takeMax) break;
    }
  }

  async #purge(): Promise<void> {
    const { clock } = this.#deps;
    const beganMs = clock.monotonicMs();
    if (beganMs < this.#purgeFromMs) return;
    let rounds = 0;
    let isOver = false;
    try {
      while (rounds < purgeRoundsMax && !isOver) {
        const purged = await this.#purgeStretch();
        if (purged >= purgedMany) rounds += 1;
        else isOver = this.#purgePage === 0 || clock.monotonicMs() - beganMs >= purgeMs;
      }
    } finally {
      // Also after a look that took longer than it may.
      if (rounds < purgeRoundsMax) this.#pausePurge(clock.monotonicMs() - beganMs);
    }
  }

  async #purgeStretch(): Promise<number> {
    const fromPage = this.#purgePage;
    // Those behind a stretch that cannot be looked at have their turn, too; one that is not there is the last.
    this.#purgePage = fromPage + purgePages;
    const { purged, nextPage } = await this.#deps.outbox.purgeProven({
      fromPage,
      pages: purgePages,
    });
    this.#purgePage = nextPage;
    return purged;
  }

  #pausePurge(tookMs: number): void {
    const pauseMs = Math.min(purgePauses * tookMs, purgePauseMaxMs);
    this.#purgeFromMs = this.#deps.clock.monotonicMs() + pauseMs;
  }

  async #hasten(): Promise<void> {
    const { bus, log, outbox } = this.#deps;
    if (!this.#mayBeLost || !bus.connected) return;
    // Before the question, so that a start during it is not forgotten.
    this.#mayBeLost = false;
    try {
      let messages = 0;
      let hastened = hastenStep;
      while (hastened === hastenStep && messages < hastenMax) {
        hastened = await outbox.hasten(hastenMs, hastenStep);
        messages += hastened;
      }
      if (messages > 0) log.info('the broker may have lost what nobody proved', { messages });
    } catch (error) {
      this.#mayBeLost = true;
      throw error;
    }
  }

  async #resend(due: Awaited<ReturnType<OutboxStore['takeDue']>>): Promise<void> {
    if (due.length === 0) return;
    const { log, outbox, telemetry } = this.#deps;
    telemetry.count('paddock.sweeper.republishes', due.length);
    const sent = due.map((row) => publishTraced(this.#deps, { ...row, attempt: row.attempts }));
    const results = await Promise.allSettled(sent);
    const failed = due.filter((_, index) => results[index]?.status === 'rejected');
    const counts = { messages: due.length, failed: failed.length };
    log.info('sent again what nobody proved to have taken', counts);
    if (failed.length > 0) await outbox.unsent(failed, unsentMs);
  }

  async #expire(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#expiredMs < expireEveryMs) return;
    const expired = await this.#deps.outbox.expireProofs(keepProofsMs, expireMax);
    // More than one chunk is left: on with the next sweep, or they come faster than they go.
    if (expired < expireMax) this.#expiredMs = nowMs;
  }
}
