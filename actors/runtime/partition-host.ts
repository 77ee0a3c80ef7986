import type {
  Exchange,
  IncomingCommand,
  MessageBus,
  PartitionBus,
  Subscription,
  WireReply,
} from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { MembershipStore } from '../../infra/ports/membership-store.ts';
import type {
  OutgoingMessage,
  PartitionStore,
  PartitionToken,
} from '../../infra/ports/partition-store.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { defect, moved, overloaded, storeUnavailable } from './answers.ts';
import { BatchRunner } from './batch-runner.ts';
import { claimAgain, repliesInInbox } from './doubt.ts';
import { consumeInbox } from './inbox-consumer.ts';
import { answerLate } from './late-answer.ts';
import { type Letter, Mailbox } from './mailbox.ts';
import { measureWait } from './mailbox-wait.ts';
import type { Membership } from './membership.ts';
import type { Command, PartitionActor, PartitionKind, Takeover } from './partition-actor.ts';
import type { RuntimePolicy } from './policy.ts';
import { PostedDues } from './posted-dues.ts';
import { RecentReplies } from './recent-replies.ts';
import { leadingTrace } from './trace-of.ts';
import { within } from './within.ts';

export interface PartitionDeps {
  readonly kind: PartitionKind;
  readonly membership: Membership;
  readonly members: MembershipStore;
  readonly store: PartitionStore;
  /** The store, or what shares its commits with other partitions. */
  readonly commits: Pick<PartitionStore, 'commit'>;
  readonly bus: PartitionBus;
  readonly messages: MessageBus;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly policy: RuntimePolicy;
  readonly relay: (messages: readonly OutgoingMessage[]) => void;
  /** The partition is served here no longer, whatever the reason. */
  readonly onStopped: (host: PartitionHost) => void;
  /** All that waited was decided. */
  readonly onRest?: () => void;
}

type State = 'leaving' | 'loading' | 'recovering' | 'serving' | 'stopped';

/** How long callers wait for a reload after a commit in doubt before they are told to come back. */
const recoveryPatienceMs = 1_000;
const recoveryRetryMs = 100;

/**
 * One partition that this process owns, from the claim to the hand-over.
 *
 * 1. One batch is in flight at a time, and no answer leaves before its commit.
 * 2. Memory is thrown away whenever a commit may have done something else than memory says.
 * 3. Nothing is decided or answered while ownership is in doubt.
 * 4. While memory is loaded afresh, what needs no decision is answered from it: only a process that
 *    takes the partition over could know better, and ownership is not in doubt.
 */
export class PartitionHost {
  readonly #deps: PartitionDeps;
  readonly #mailbox: Mailbox;
  readonly #recent = new RecentReplies();
  /** Letters that were put back after a commit in doubt. */
  readonly #reloaded = new WeakSet<Letter>();
  #token: PartitionToken;
  #actor: PartitionActor | undefined;
  #state: State = 'loading';
  #recoveringSinceMs = 0;
  /** After a commit in doubt: all but what that commit may have changed is as memory has it. */
  #isMemoryTrue = false;
  /** When this took over, and how long there was no owner before. */
  #taken = { atMs: 0, unservedMs: 0 };
  readonly #posted: PostedDues;
  #working: Promise<void> | undefined;
  #commands: Subscription | undefined;
  #inbox: Subscription | undefined;

  constructor(deps: PartitionDeps, token: PartitionToken) {
    this.#deps = deps;
    this.#token = token;
    this.#mailbox = new Mailbox(deps.policy);
    this.#posted = new PostedDues(deps.policy.dueAgainMs);
  }

  get ref(): { readonly kind: string; readonly part: number } {
    return this.#token;
  }

  get token(): PartitionToken {
    return this.#token;
  }

  get waiting(): number {
    return this.#mailbox.size;
  }

  get stats(): Readonly<Record<string, number>> {
    return this.#actor?.stats() ?? {};
  }

  /** What it holds is in memory: neither is it read for the first time, nor after a commit in doubt. */
  get isLoaded(): boolean {
    return this.#state !== 'loading' && this.#state !== 'recovering';
  }

  /** Nothing waits and nothing is being decided. */
  get isAtRest(): boolean {
    return this.#state === 'serving' && this.#working === undefined && this.waiting === 0;
  }

  get nextDueMs(): number | undefined {
    return this.#actor?.nextDueMs?.();
  }

  /** Loads, then listens: whoever asks before that meets nobody and asks again. */
  async activate(nowMs: number, takeover: Takeover, unservedMs = 0): Promise<void> {
    this.#taken = { atMs: this.#deps.clock.monotonicMs(), unservedMs };
    await this.#load(nowMs, takeover, unservedMs);
    if (this.#state === 'stopped') return;
    this.#state = 'serving';
    const { bus, messages, policy, store, log } = this.#deps;
    const commands = await bus.subscribeCommands(this.#token, (command, exchange) =>
      this.#receive(command, exchange),
    );
    this.#commands = commands;
    this.#inbox = consumeInbox({
      ref: this.#token,
      messages,
      ackWaitMs: policy.ackWaitMs,
      park: (parked) => store.park(this.#token, 'evt', parked),
      decide: (command) => this.#post(command),
      log,
    });
    // It may have been dropped while the broker was asked.
    if (this.#isStopped()) await this.#unsubscribe();
  }

  /**
   * Asks the actor what is due. Not while there is no broker, unless it is nobody's silence: then nobody
   * could have beaten. Nor while renewals are late: after an outage of the database, or a stop of this
   * process, time is forgiven first.
   */
  tick(): void {
    const { bus, clock, kind, membership } = this.#deps;
    if (this.#state !== 'serving') return;
    // What it has to say waits in the outbox.
    if (!bus.connected && kind.isDueWithoutCallers !== true) return;
    if (membership.inDoubt() || membership.isLate) return;
    const due = this.#actor?.due(membership.nowMs()) ?? [];
    for (const command of this.#posted.withoutRecent(due, clock.monotonicMs())) {
      this.#offer(command, { source: 'timer', sizeBytes: 0, answers: [] });
    }
  }

  extendDeadlines(outageMs: number): void {
    const { clock, membership } = this.#deps;
    const { atMs, unservedMs } = this.#taken;
    // What was before the takeover was forgiven with it, as far as nobody served this.
    const beforeMs = Math.max(0, outageMs - (clock.monotonicMs() - atMs));
    const leftMs = outageMs - Math.min(beforeMs, unservedMs);
    this.#actor?.extendDeadlines(leftMs, membership.nowMs());
  }

  delayDeadlines(byMs: number): void {
    this.#actor?.extendDeadlines(byMs, undefined);
  }

  async flush(): Promise<void> {
    const { membership, store, log } = this.#deps;
    if (membership.inDoubt()) return;
    const actor = this.#actor;
    const soft = actor?.takeFlush();
    if (soft === undefined) return;
    try {
      await store.flush(this.#token.part, soft);
    } catch (error) {
      // Soft state: the next one writes these too, and a takeover gives every lease a fresh window.
      actor?.flushFailed?.(soft);
      log.warn('flush failed', { ...this.#token, error });
    }
  }

  /** Leaves in good order: nothing new, what waits is decided, then the row is free. */
  async handOver(): Promise<void> {
    if (this.#state === 'stopped') return;
    const { clock, members, policy, bus, log } = this.#deps;
    if (this.#state === 'serving') this.#state = 'leaving';
    const done = this.#unsubscribe().then(() => this.#idle());
    await within(clock, policy.handOverMs, done);
    await this.flush();
    this.drop();
    // A batch that is still being committed may finish. A database that answers nobody must not keep
    // the process from leaving: then the release fails too, and the lease ends by itself.
    if (this.#working !== undefined) await within(clock, policy.handOverMs, this.#working);
    try {
      if (await members.release(this.#token)) {
        bus.signal('released', { kind: this.#token.kind, part: this.#token.part });
      }
    } catch (error) {
      log.warn('release failed', { ...this.#token, error });
    }
  }

  /** At once: ownership is lost. Whoever waits is told to ask again. */
  drop(): void {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    this.#mailbox.settleAll(moved);
    void this.#unsubscribe();
    this.#deps.onStopped(this);
  }

  async #unsubscribe(): Promise<void> {
    await Promise.allSettled([this.#commands?.close(), this.#inbox?.close()]);
  }

  async #idle(): Promise<void> {
    while (this.#working !== undefined && !this.#isStopped()) await this.#working;
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  async #load(claimedAtMs: number, takeover: Takeover, unservedMs = 0): Promise<void> {
    const { kind, membership, policy } = this.#deps;
    // A database whose clock went back answers with an earlier instant than what is due here goes by.
    const nowMs = Math.max(claimedAtMs, membership.nowMs());
    this.#actor = await kind.activate(this.#token.part, {
      ...{ takeover, nowMs, unservedMs },
      // The former owner stopped answering a lease after its last renewal at the latest.
      amnestyUntilMs: (leaseMs) => nowMs + leaseMs + policy.leaseMs,
    });
  }

  #receive(command: IncomingCommand, exchange: Exchange): void {
    const refusal = this.#refusal();
    if (refusal !== undefined && this.#deps.membership.isLapsed) {
      void answerLate(command, () => exchange.answer(refusal), this.#deps);
      return;
    }
    const reply =
      refusal === undefined
        ? (this.#repeated(command) ?? this.#fromMemory(command))
        : (this.#whileRecovering(command) ?? refusal);
    if (reply !== undefined) {
      exchange.answer(reply);
      return;
    }
    const { sizeBytes } = exchange;
    const answers = [(answer: WireReply) => exchange.answer(answer)];
    const isTaken = this.#offer(command, { source: 'request', sizeBytes, answers });
    if (!isTaken) exchange.answer(overloaded);
  }

  #repeated(command: Command): WireReply | undefined {
    const reply = this.#recent.get(command.id);
    if (reply !== undefined) this.#deps.telemetry.count('paddock.inbox.duplicates');
    return reply;
  }

  /** What every caller hears while nothing may be decided here. */
  #refusal(): WireReply | undefined {
    const { clock, membership } = this.#deps;
    if (this.#state === 'stopped' || this.#state === 'loading') return moved;
    if (membership.inDoubt()) return membership.storeFailing ? storeUnavailable : moved;
    const recoveringMs = clock.monotonicMs() - this.#recoveringSinceMs;
    if (this.#state === 'recovering' && recoveringMs > recoveryPatienceMs) return storeUnavailable;
    return undefined;
  }

  /** However long the database is away, as long as this process is sure to be the owner. */
  #whileRecovering(command: Command): WireReply | undefined {
    return this.#deps.membership.inDoubt() ? undefined : this.#fromMemory(command);
  }

  #fromMemory(command: Command): WireReply | undefined {
    const isRecovering = this.#state === 'recovering' && this.#isMemoryTrue;
    if (this.#state !== 'serving' && !isRecovering) return undefined;
    try {
      return this.#actor?.answerFromMemory(command, this.#deps.membership.nowMs());
    } catch (error) {
      this.#deps.telemetry.inTrace(command.trace, () =>
        this.#deps.log.error('answering from memory failed', { command: command.id, error }),
      );
      return defect(error);
    }
  }

  /** A message of another actor, decided like a request but never refused for lack of room. */
  #post(command: Command): Promise<WireReply> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.resolve(refusal);
    return new Promise((resolve) => {
      this.#offer(command, { source: 'message', sizeBytes: 0, answers: [resolve] });
    });
  }

  #offer(command: Command, how: Pick<Letter, 'answers' | 'sizeBytes' | 'source'>): boolean {
    const { clock } = this.#deps;
    const arrivedMs = clock.monotonicMs();
    const isTaken = this.#mailbox.offer({ command, ...how, arrivedMs, arrivedAtMs: clock.nowMs() });
    if (isTaken) this.#work();
    return isTaken;
  }

  #work(): void {
    if (this.#working !== undefined) return;
    // Of no trace: who brings the first letter is not behind all that come meanwhile.
    this.#working = this.#deps.telemetry
      .inTrace({}, () => this.#decideAll())
      .catch((error) => {
        this.#deps.log.error('partition failed', { ...this.#token, error });
        this.drop();
      })
      .finally(() => {
        this.#working = undefined;
        // Who wrote since the last look saw that work was going on, and left it at that.
        if (this.#isWanted()) this.#work();
        else this.#deps.onRest?.();
      });
  }

  #isWanted(): boolean {
    return this.#mailbox.size > 0 && (this.#state === 'serving' || this.#state === 'leaving');
  }

  async #decideAll(): Promise<void> {
    // The rest of this turn's arrivals join the first batch.
    await Promise.resolve();
    while (this.#isWanted()) {
      const letters = this.#mailbox.take(this.#deps.clock.monotonicMs());
      const refusal = this.#refusal();
      if (refusal !== undefined) {
        for (const letter of letters) this.#mailbox.settle(letter, refusal);
        continue;
      }
      await this.#decideBatch(letters);
    }
  }

  async #decideBatch(letters: readonly Letter[]): Promise<void> {
    const actor = this.#actor;
    if (actor === undefined || letters.length === 0) return;
    measureWait(letters, this.#deps);
    const { kind, store, commits, clock, log, telemetry, policy, membership, relay } = this.#deps;
    const runner = new BatchRunner(
      {
        actor,
        kind,
        token: this.#token,
        store,
        commits,
        clock,
        log,
        telemetry,
        relay,
        sweepAfterMs: policy.sweepAfterMs,
        nowMs: () => membership.nowMs(),
        settle: (letter, reply, wasDone) => this.#settle(letter, reply, wasDone),
        isReloaded: (letter) => this.#reloaded.has(letter),
      },
      letters,
    );
    const end = await runner.run();
    if (end.kind === 'settled') return;
    if (end.kind === 'fenced') {
      log.info('fenced: another process owns the partition', { ...this.#token });
      for (const letter of end.left) this.#mailbox.settle(letter, moved);
      return this.drop();
    }
    this.#isMemoryTrue = end.kind === 'ambiguous';
    const traces = end.left.map((letter) => letter.command.trace);
    await telemetry.inTrace(leadingTrace(traces), () => this.#recover(end.left));
  }

  #settle(letter: Letter, reply: WireReply, wasDone: boolean): void {
    const { command, sizeBytes, source } = letter;
    if (source === 'request' && wasDone) this.#recent.remember(command.id, reply, sizeBytes);
    this.#mailbox.settle(letter, reply);
  }

  /**
   * The commit was written, or not, or still runs. Taking the partition once more from ourselves
   * waits for it or fences it; then memory is loaded afresh, and the inbox tells what was done.
   */
  async #recover(left: readonly Letter[]): Promise<void> {
    const { clock, log } = this.#deps;
    const wasLeaving = this.#state === 'leaving';
    if (!this.#isStopped()) this.#state = 'recovering';
    this.#recoveringSinceMs = clock.monotonicMs();
    while (this.#state === 'recovering') {
      try {
        if (await this.#reload(left)) {
          if (this.#state === 'recovering') this.#state = wasLeaving ? 'leaving' : 'serving';
          return;
        }
        log.info('lost while in doubt', { ...this.#token });
        break;
      } catch (error) {
        log.warn('reload after a commit in doubt failed', { ...this.#token, error });
        await clock.sleep(recoveryRetryMs);
      }
    }
    for (const letter of left) this.#mailbox.settle(letter, moved);
    this.drop();
  }

  /** Nothing is promised from memory meanwhile: what is loaded gives time from the beginning of that on. */
  async #loadAnew(claimedAtMs: number): Promise<void> {
    const wasTrue = this.#isMemoryTrue;
    this.#isMemoryTrue = false;
    try {
      await this.#load(claimedAtMs, { parts: [this.#token.part] });
    } catch (error) {
      this.#isMemoryTrue = wasTrue;
      throw error;
    }
  }

  /** False when the partition belongs to another process. */
  async #reload(left: readonly Letter[]): Promise<boolean> {
    const claimed = await claimAgain(this.#token, this.#deps);
    if (claimed === undefined) return false;
    this.#token = claimed.token;
    await this.#loadAnew(claimed.nowMs);
    const answered = await repliesInInbox(left, { store: this.#deps.store, token: this.#token });
    if (answered === undefined) return false;
    const open: Letter[] = [];
    for (const letter of left) {
      const reply = answered.get(letter);
      if (reply === undefined) open.push(letter);
      else this.#settle(letter, reply, true);
    }
    for (const letter of open) this.#reloaded.add(letter);
    if (!this.#isStopped()) this.#mailbox.putBack(open);
    else for (const letter of open) this.#mailbox.settle(letter, moved);
    return true;
  }
}
