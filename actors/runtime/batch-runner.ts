import type { WireReply } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type {
  CommitOutcome,
  OutgoingMessage,
  PartitionStore,
  PartitionToken,
} from '../../infra/ports/partition-store.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { Fault, type FaultCode } from '../../machines/fault.ts';
import { faultTexts } from '../../machines/fault-texts.ts';
import { detailOf } from '../../machines/refusal.ts';
import { defect, fault, isDefect, storeUnavailable } from './answers.ts';
import { commitBatch, consumerOf, type Decided, requestConsumer } from './commit-batch.ts';
import type { Letter } from './mailbox.ts';
import type { PartitionActor, PartitionKind } from './partition-actor.ts';
import { causesOf } from './trace-of.ts';

export interface BatchDeps {
  readonly actor: PartitionActor;
  readonly kind: PartitionKind;
  readonly token: PartitionToken;
  readonly store: PartitionStore;
  readonly commits: Pick<PartitionStore, 'commit'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly sweepAfterMs: number;
  /** The database's clock. */
  readonly nowMs: () => number;
  /** `wasDone`: the answer to a repeat too, since its command changed something. */
  readonly settle: (letter: Letter, reply: WireReply, wasDone: boolean) => void;
  /** Memory was loaded afresh for this letter already, and its decision did not fit all the same. */
  readonly isReloaded: (letter: Letter) => boolean;
  /** What the commit put in the outbox, to be sent at once. */
  readonly relay: (messages: readonly OutgoingMessage[]) => void;
}

/**
 * `settled`: every letter was answered. Otherwise nothing may be decided on the actor's memory any more,
 * and what is left was neither answered nor refused: `fenced` for certain, `ambiguous` perhaps done by
 * the batch that the working state still shows, `diverged` where more is unknown than that.
 */
export type BatchEnd =
  | { readonly kind: 'settled' }
  | { readonly kind: 'ambiguous' | 'diverged' | 'fenced'; readonly left: readonly Letter[] };

const settled: BatchEnd = { kind: 'settled' };

/** A letter whose decision threw. */
interface Failed {
  readonly letter: Letter;
  readonly error: unknown;
}

/**
 * A process lags behind the database by the time of an answer. What is further ahead of it stepped, and
 * by such a clock all are late: nothing is decided until the process knows of it and gave its amnesty.
 */
const steppedMs = 1_000;

/** Attempts at one batch that only time or a lock stood against. */
const patience = 4;
const contentionWaitMs = 50;

/**
 * Decides a batch on working state, commits it as one, and only then lets any answer out. Whatever
 * one command of it brings down is taken back whole; the rest is decided again without it.
 */
export class BatchRunner {
  readonly #deps: BatchDeps;
  #left: Letter[];
  /** Refusals of messages, which have to be recorded as consumed like any other outcome. */
  readonly #refused = new Map<Letter, WireReply>();
  #notBeforeMs = 0;
  #tries = 0;

  constructor(deps: BatchDeps, letters: readonly Letter[]) {
    this.#deps = deps;
    this.#left = [...letters];
  }

  run(): Promise<BatchEnd> {
    return this.#deps.telemetry.inTrace(causesOf(tracesOf(this.#left)).parent, () => this.#run());
  }

  async #run(): Promise<BatchEnd> {
    while (this.#left.length > 0) {
      const end = await this.#attempt();
      if (end !== undefined) return end;
    }
    return settled;
  }

  /** Undefined when something was settled or the same is to be tried again. */
  async #attempt(): Promise<BatchEnd | undefined> {
    const { actor, commits, token } = this.#deps;
    try {
      const commands = this.#left.map((letter) => letter.command);
      await actor.prepare(commands, this.#nowMs());
    } catch (error) {
      return await this.#divide(error);
    }
    const decided = await this.#decide();
    if ('error' in decided) return await this.#settleFailed(decided);

    const writing = decided.filter(isWriting);
    let answered: ReadonlyMap<string, unknown> | 'fenced';
    try {
      answered = await this.#answeredBefore(decided.filter((d) => !isWriting(d)));
    } catch (error) {
      actor.rollback();
      return await this.#divide(error);
    }
    if (answered === 'fenced') return this.#fenced();
    if (writing.length === 0) return this.#publish(decided, answered);

    const batch = commitBatch(token, writing, this.#deps.sweepAfterMs);
    const outcome = await this.#commit(writing, () => commits.commit(token, batch));
    if (outcome.kind === 'committed') {
      const end = this.#publish(decided, answered);
      this.#deps.relay(batch.outbox);
      return end;
    }
    if (outcome.kind === 'fenced') return this.#fenced();
    if (outcome.kind === 'ambiguous' || this.#isFirstDivergence(outcome)) {
      this.#deps.log.warn('commit in doubt', { ...outcome });
      return { kind: outcome.kind, left: this.#left };
    }
    actor.rollback();
    return await this.#again(outcome);
  }

  #nowMs(): number {
    return Math.max(this.#deps.nowMs(), this.#notBeforeMs);
  }

  #fenced(): BatchEnd {
    this.#deps.telemetry.count('paddock.commit.fenced', 1, { kind: this.#deps.kind.kind });
    return { kind: 'fenced', left: this.#left };
  }

  /** Loading afresh helps once: a command that never fits what is stored would ask for ever. */
  #isFirstDivergence(outcome: CommitOutcome): outcome is CommitOutcome & { kind: 'diverged' } {
    return outcome.kind === 'diverged' && !this.#left.some(this.#deps.isReloaded);
  }

  /** All of them, or the one that threw: it is to be answered, and the rest starts over without it. */
  async #decide(): Promise<Decided[] | Failed> {
    const { actor, telemetry } = this.#deps;
    const causes = causesOf(tracesOf(this.#left));
    const atMs = this.#nowMs();
    return telemetry.span('decide', causes, async () => {
      actor.begin();
      const decided: Decided[] = [];
      for (const letter of this.#left) {
        const refusal = this.#refused.get(letter);
        if (refusal !== undefined && refusal.kind !== 'moved') {
          decided.push({ letter, decision: { reply: refusal as Decided['decision']['reply'] } });
          continue;
        }
        try {
          decided.push({ letter, decision: actor.decide(letter.command, atMs) });
        } catch (error) {
          actor.rollback();
          return { letter, error };
        }
      }
      return decided;
    });
  }

  /** What was done before may be impossible on the state that it changed itself: first answers count. */
  async #settleFailed({ letter, error }: Failed): Promise<BatchEnd | undefined> {
    const { store, token } = this.#deps;
    let first: ReadonlyMap<string, unknown> | 'fenced';
    try {
      first = await store.replies(token, consumerOf(letter), [letter.command.id]);
    } catch (failure) {
      return await this.#divide(failure);
    }
    if (first === 'fenced') return this.#fenced();
    if (first.size > 0) return this.#settleDuplicates(first);
    this.#refuse(letter, this.#answerTo(letter, error));
    return undefined;
  }

  /**
   * A decision that changes nothing may be the second answer to a command that was done before, on a
   * state that it changed itself; then the first answer counts. No commit fences it: who lost the
   * partition and has not noticed would refuse what its new owner has granted.
   */
  async #answeredBefore(
    idle: readonly Decided[],
  ): Promise<ReadonlyMap<string, unknown> | 'fenced'> {
    const ids = idle
      .filter(({ letter }) => letter.source === 'request')
      .map(({ letter }) => letter.command.id);
    if (ids.length === 0) return new Map();
    return this.#deps.store.replies(this.#deps.token, requestConsumer, ids);
  }

  async #commit(
    writing: readonly Decided[],
    commit: () => Promise<CommitOutcome>,
  ): Promise<CommitOutcome> {
    const { clock, kind, telemetry } = this.#deps;
    const causes = causesOf(tracesOf(writing.map(({ letter }) => letter)));
    const attributes = { kind: kind.kind };
    const startedMs = clock.monotonicMs();
    const outcome = await telemetry.span('commit', { ...causes, attributes }, async (span) => {
      const result = await commit();
      span.set({ outcome: result.kind, batch: writing.length, keys: keysOf(writing) });
      return result;
    });
    telemetry.record('paddock.commit.duration', clock.monotonicMs() - startedMs, attributes);
    telemetry.record('paddock.commit.batch_size', writing.length, attributes);
    return outcome;
  }

  #publish(decided: readonly Decided[], answered: ReadonlyMap<string, unknown>): BatchEnd {
    this.#deps.actor.commit();
    for (const each of decided) {
      const { letter, decision } = each;
      const first = answered.get(letter.command.id);
      const reply = letter.source === 'request' && first !== undefined ? first : decision.reply;
      this.#deps.settle(letter, reply as WireReply, isWriting(each) || first !== undefined);
    }
    this.#left = [];
    return settled;
  }

  /** Nothing was written; `left` shrinks or time passes, so that this comes to an end. */
  async #again(
    outcome: Exclude<CommitOutcome, { kind: 'ambiguous' | 'committed' | 'fenced' }>,
  ): Promise<BatchEnd | undefined> {
    switch (outcome.kind) {
      case 'duplicates':
        return this.#settleDuplicates(outcome.replies);
      case 'refused': {
        const ids = outcome.commands.map(({ id }) => id);
        const culprits = this.#left.filter(({ command }) => ids.includes(command.id));
        if (culprits.length === 0)
          return this.#divide(new Error(`${outcome.code} of unknown ${ids.join()}`));
        for (const culprit of culprits) this.#refuse(culprit, refusedAs(outcome));
        return undefined;
      }
      case 'lease-passed':
        if (outcome.nowMs - this.#deps.nowMs() > steppedMs)
          return this.#answerAll(storeUnavailable);
        this.#notBeforeMs = outcome.nowMs;
        return this.#patiently(new Error('decisions stay valid for no time at all'));
      case 'contended':
        await this.#deps.clock.sleep(contentionWaitMs);
        return this.#patiently(outcome.error);
      case 'unavailable':
        return this.#answerAll(storeUnavailable);
      case 'diverged':
        return this.#divide(outcome.error);
      case 'invalid':
        return this.#divide(outcome.error, outcome.constraint);
    }
  }

  #settleDuplicates(replies: ReadonlyMap<string, unknown>): BatchEnd | undefined {
    const known = this.#left.filter(({ command }) => replies.has(command.id));
    if (known.length === 0) return { kind: 'diverged', left: this.#left };
    this.#deps.telemetry.count('paddock.inbox.duplicates', known.length);
    for (const letter of known) {
      this.#settle(
        letter,
        (replies.get(letter.command.id) ?? { kind: 'ok', body: null }) as WireReply,
      );
    }
    return undefined;
  }

  #patiently(error: Error): BatchEnd | undefined {
    this.#tries += 1;
    if (this.#tries < patience) return undefined;
    this.#deps.log.warn('batch given up', { error });
    return this.#answerAll(storeUnavailable);
  }

  /**
   * Somebody in the batch is to blame, and it is not known who: both halves are tried, in their order,
   * until the culprit is alone and gets what its failure means. One bad command of 64 costs a dozen
   * commits this way, not 64.
   */
  async #divide(error: unknown, constraint?: string): Promise<BatchEnd | undefined> {
    const [only, ...others] = this.#left;
    if (only === undefined) return settled;
    if (this.#deps.store.isOutage(error)) return this.#answerAll(storeUnavailable);
    if (others.length === 0) {
      const known = this.#deps.kind.faultByConstraint?.[constraint ?? ''];
      const reply =
        known === undefined ? this.#answerTo(only, error) : fault(known, detailOf(known));
      this.#refuse(only, reply);
      return undefined;
    }
    const middle = Math.ceil(this.#left.length / 2);
    for (const half of [this.#left.slice(0, middle), this.#left.slice(middle)]) {
      const runner = new BatchRunner(this.#deps, half);
      for (const [letter, refusal] of this.#refused) runner.#refused.set(letter, refusal);
      const end = await runner.run();
      if (end.kind !== 'settled') {
        const rest = this.#left.filter((letter) => !half.includes(letter));
        return { kind: end.kind, left: [...end.left, ...rest] };
      }
      this.#left = this.#left.filter((letter) => !half.includes(letter));
    }
    return settled;
  }

  #answerTo(letter: Letter, error: unknown): WireReply {
    if (error instanceof Fault) return fault(error.code, error.message, error.extras);
    const { id, type, trace } = letter.command;
    this.#deps.telemetry.inTrace(trace, () =>
      this.#deps.log.error('command failed', { command: id, type, error }),
    );
    return defect(error);
  }

  /** A message's refusal is recorded with the next attempt, unless it is our own defect. */
  #refuse(letter: Letter, reply: WireReply): void {
    const isRecorded = letter.source === 'message' && !isDefect(reply);
    if (isRecorded && !this.#refused.has(letter)) this.#refused.set(letter, reply);
    else this.#settle(letter, reply);
  }

  #answerAll(reply: WireReply): BatchEnd {
    for (const letter of [...this.#left]) this.#settle(letter, reply);
    return settled;
  }

  #settle(letter: Letter, reply: WireReply): void {
    this.#left = this.#left.filter((other) => other !== letter);
    this.#deps.settle(letter, reply, true);
  }
}

/** What the database refuses is told in the words of its code, which say what to do next. */
function refusedAs({ code, detail, extras }: Extract<CommitOutcome, { kind: 'refused' }>) {
  const known = code as FaultCode;
  return fault(known, Object.hasOwn(faultTexts, code) ? detailOf(known) : detail, extras);
}

function tracesOf(letters: readonly Letter[]) {
  return letters.map(({ command }) => command.trace);
}

/** Enough to find a run's or a version's commits by, of a batch that is not a crowd. */
const keysMax = 5;

function keysOf(writing: readonly Decided[]): string {
  const keys = new Set<string>();
  for (const { decision } of writing) {
    for (const { machine, key } of decision.changes?.events ?? []) {
      if (keys.size < keysMax) keys.add(`${machine}/${key}`);
    }
  }
  return [...keys].join(' ');
}

function isWriting({ letter, decision }: Decided): boolean {
  return decision.changes !== undefined || consumerOf(letter) !== requestConsumer;
}
