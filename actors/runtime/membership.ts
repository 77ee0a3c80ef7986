import type { SharedWork } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { MemberIdentity, MembershipStore } from '../../infra/ports/membership-store.ts';
import { Ejections } from './ejections.ts';
import { certainShare, lapsedShare, type RuntimePolicy } from './policy.ts';

export interface MembershipOptions {
  readonly memberId: string;
  readonly kinds: readonly string[];
  readonly newIncarnation: () => string;
  readonly store: MembershipStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly policy: RuntimePolicy;
  /** False while no caller could reach this process: then others must be the wanted owners. */
  readonly mayJoin: () => boolean;
  /** The lease ended: whatever this process holds in memory belongs to somebody else by now. */
  readonly onLost: () => void;
  readonly onJoined: () => void;
  /** Left to others while the lease has lapsed. */
  readonly sharing?: SharedWork;
  /**
   * The database answered again, or this process woke up, in time to stay what it is. For so long
   * nothing could be promised, and what was said to us may still wait to be read.
   */
  readonly onLateRenewal?: (gapMs: number) => void;
  /** By how much a simulated clock is ahead, as far as this process has heard. */
  readonly offsetMs?: () => number;
}

/** Of as many renewals: short enough that two clocks do not drift apart, or that one was set back. */
const offsetsKept = 10;

/**
 * This process's lease in rt.member, which goes by the wall clock, and its view of the domain's.
 *
 * 1. An incarnation that lost its lease never comes back; the process joins with a fresh one.
 * 2. Ownership is in doubt once most of a lease has passed since the last successful renewal was
 *    sent, by the monotonic clock: a process that wakes from a long stop doubts before it acts.
 * 3. Doubt is about liveness only. Safety is the fence's.
 */
export class Membership {
  readonly #options: MembershipOptions;
  #identity: MemberIdentity;
  #renewalSentMs = Number.NEGATIVE_INFINITY;
  /** How far the database's clock was ahead of this one at the last renewals, each by too little. */
  #offsetsMs: readonly number[] = [];
  #lastNowMs = 0;
  #isMember = false;
  #isLeaving = false;
  #joins = 0;
  readonly #ejections = new Ejections();
  #outUntilMs = Number.NEGATIVE_INFINITY;
  #stops: readonly (() => void)[] = [];
  /** The last renewal could not reach the database, as opposed to never having been tried. */
  storeFailing = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#identity = { memberId: options.memberId, incarnation: options.newIncarnation() };
  }

  get identity(): MemberIdentity {
    return this.#identity;
  }

  /** rt.clock(), a little late and never going back; not the host's. */
  nowMs(): number {
    const { clock, offsetMs } = this.#options;
    const aheadMs = Math.max(...this.#offsetsMs);
    const estimateMs = clock.monotonicMs() + aheadMs + (offsetMs?.() ?? 0);
    this.#lastNowMs = Math.max(this.#lastNowMs, Math.floor(estimateMs));
    return this.#lastNowMs;
  }

  /** As far as the database has told. */
  get isMember(): boolean {
    return this.#isMember;
  }

  inDoubt(): boolean {
    const { clock, policy } = this.#options;
    const certainMs = policy.leaseMs * certainShare;
    return !this.#isMember || clock.monotonicMs() - this.#renewalSentMs >= certainMs;
  }

  /**
   * A lease and a half passed without a renewal: somebody else may own by now what is held here, and answer.
   * Not so while the database answers that this process is no member: then it holds nothing.
   */
  get isLapsed(): boolean {
    const { clock, policy } = this.#options;
    const isUnheard = this.#isMember || this.storeFailing;
    const unheardMs = clock.monotonicMs() - this.#renewalSentMs;
    return isUnheard && unheardMs >= policy.leaseMs * lapsedShare;
  }

  /** Renewals are missing: the database does not answer, or this process was stopped until now. */
  get isLate(): boolean {
    return this.#options.clock.monotonicMs() - this.#renewalSentMs >= this.#lateMs;
  }

  get #lateMs(): number {
    const { outageMinMs, renewEveryMs } = this.#options.policy;
    return renewEveryMs + outageMinMs;
  }

  async start(): Promise<void> {
    await this.#join();
    const { clock, policy } = this.#options;
    this.#stops = [
      clock.every(policy.renewEveryMs, () => this.#tick()),
      // A renewal may stay without an answer for longer than a lease.
      clock.every(policy.renewEveryMs, () => this.#share()),
    ];
  }

  /** Says goodbye, so that nobody waits for the lease to end. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    for (const stop of this.#stops) stop();
    if (!this.#isMember) return;
    this.#isMember = false;
    await this.#options.store.leave(this.#identity);
  }

  async #join(): Promise<void> {
    const { clock, kinds, memberId, newIncarnation, policy, store } = this.#options;
    this.#identity = { memberId, incarnation: newIncarnation() };
    const sentMs = clock.monotonicMs();
    const { leaseMs: ttlMs, codeVersion } = policy;
    // An order to drain is to the process, whichever of its incarnations heard of it.
    const isAgain = this.#joins > 0;
    const nowMs = await store.join({ ...this.#identity, ttlMs, codeVersion, kinds, isAgain });
    this.#joins += 1;
    this.#ejections.joined(sentMs);
    this.#renewed(sentMs, nowMs);
    this.#isMember = true;
    this.#options.onJoined();
  }

  async #joinAgain(): Promise<void> {
    if (!this.#mayJoin() || (await this.#isOut())) return;
    // It may have left, or lost the broker, while the database was asked.
    if (this.#mayJoin()) await this.#join();
  }

  #mayJoin(): boolean {
    return !this.#isLeaving && this.#options.mayJoin();
  }

  /** Never while there is nobody else. */
  async #isOut(): Promise<boolean> {
    const { clock, store } = this.#options;
    if (clock.monotonicMs() >= this.#outUntilMs) return false;
    const { members } = await store.view();
    this.storeFailing = false;
    return members.some(({ draining }) => !draining);
  }

  #lost(): void {
    const { clock, log, onLost, policy } = this.#options;
    const nowMs = clock.monotonicMs();
    log.warn('lease of this process ended, joining afresh', { ...this.#identity });
    // Else it ran out.
    if (nowMs - this.#renewalSentMs < policy.leaseMs) {
      const waitMs = this.#ejections.ejected(nowMs);
      this.#outUntilMs = nowMs + waitMs;
      const says =
        'other members cannot reach this process and ended its lease again; it stays out';
      if (waitMs > 0) log.warn(says, { ...this.#identity, waitMs });
    }
    this.#isMember = false;
    onLost();
  }

  async #tick(): Promise<void> {
    const { clock, log, policy, store } = this.#options;
    try {
      if (!this.#isMember) return await this.#joinAgain();
      const sentMs = clock.monotonicMs();
      const nowMs = await store.renew(this.#identity, policy.leaseMs);
      if (nowMs !== undefined)
        return this.#renewedAfter(sentMs - this.#renewalSentMs, sentMs, nowMs);
      this.storeFailing = false;
      this.#lost();
      await this.#joinAgain();
    } catch (error) {
      this.storeFailing = true;
      log.warn('lease renewal failed', { error });
    }
  }

  #renewedAfter(gapMs: number, sentMs: number, nowMs: number): void {
    this.#renewed(sentMs, nowMs);
    if (gapMs >= this.#lateMs) this.#options.onLateRenewal?.(gapMs);
  }

  #share(): void {
    const { sharing } = this.#options;
    if (this.isLapsed) sharing?.leave();
    else sharing?.take();
  }

  #renewed(sentMs: number, nowMs: number): void {
    this.storeFailing = false;
    this.#renewalSentMs = sentMs;
    this.#share();
    // The answer took its time, so this lags behind the database: nothing ends early here. The quickest
    // answer of late lags least; by a slow one alone, leases would be given that end too soon.
    this.#offsetsMs = [
      ...this.#offsetsMs.slice(1 - offsetsKept),
      nowMs - this.#options.clock.monotonicMs(),
    ];
  }
}
