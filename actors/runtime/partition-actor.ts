import type { GaugeName } from '../../infra/ports/metrics.ts';
import type { FaultCode } from '../../machines/fault.ts';

/**
 * The seam between the runtime and the actors it hosts.
 *
 * The runtime owns mailbox, batching, commit, inbox, outbox, timers' ticking, ownership and replies;
 * it knows nothing of the domain. A PartitionActor owns the state of one partition and decides; it
 * does no I/O but the loading in `activate` and `prepare`.
 *
 * 1. Decisions see every earlier decision of the same batch (working state), and nothing leaves the
 *    process before the batch committed: replies are held back by the runtime.
 * 2. After `rollback` the actor's state is exactly what it was at `begin`.
 * 3. `decide` is pure in (state, command, now): no clock, no chance; ids derive from the command id.
 */
export interface PartitionActor {
  /**
   * Loads what deciding on these commands needs (aggregates, rosters) into memory. May do I/O. They are decided
   * a moment after `nowMs`.
   */
  prepare(commands: readonly Command[], nowMs: number): Promise<void>;
  begin(): void;
  decide(command: Command, nowMs: number): Decision;
  /** The batch is durable: the working state becomes the state. */
  commit(): void;
  rollback(): void;
  /**
   * Answers from memory alone, without a commit and past the mailbox (a later heartbeat); undefined
   * when the command needs a decision, or when a batch that is not committed yet, or of which that is
   * not known, may change the answer. Only called while ownership is not in doubt.
   */
  answerFromMemory(command: Command, nowMs: number): Reply | undefined;
  /** Commands that are due at `nowMs` (lease expiry, limits); the runtime posts them to the mailbox. */
  due(nowMs: number): readonly Command[];
  /**
   * The next instant at which `due` will give something if nothing else happens before; undefined
   * when there is none. Never later than the truth: a simulated clock stops there on its way.
   */
  nextDueMs?(): number | undefined;
  /**
   * Lets every deadline move by `outageMs`, after an outage that the runtime itself saw: the silence was
   * ours, not the validators'. It was over at `overAtMs`, and who was cut off gets time to come back; who
   * only was heard later did not go away, and then there is none.
   */
  extendDeadlines(outageMs: number, overAtMs: number | undefined): void;
  /** Soft state to persist in one statement every few seconds (heartbeats); undefined when clean. */
  takeFlush(): Flush | undefined;
  /** It was not written, or nobody knows: it belongs to the next one. */
  flushFailed?(flush: Flush): void;
  /** For metrics and the operator's overview. */
  stats(): Readonly<Record<string, number>>;
}

/** A request to change something, addressed to one partition. */
export interface Command {
  /** Dedupe id: the same id again gets the first answer again. A UUID or 64 hex digits. */
  readonly id: string;
  readonly type: string;
  readonly body: unknown;
  /** Who stands behind it: a hotkey, `operator:<name>` or `system`. */
  readonly account: string;
  /** W3C trace context of the request, carried into events and outbox. */
  readonly trace: Readonly<Record<string, string>>;
  /** How long its caller waits from its arrival on, at most; absent for internal commands. */
  readonly budgetMs?: number;
}

export type Reply =
  | { readonly kind: 'ok'; readonly body: unknown }
  | {
      readonly kind: 'fault';
      readonly code: FaultCode;
      readonly detail: string;
      readonly extras: Readonly<Record<string, unknown>>;
    };

export interface Decision {
  readonly reply: Reply;
  /** Absent when nothing changes (a refusal, a replay, an empty claim). */
  readonly changes?: Changes;
  /** The commit is refused when the database clock is past this (Unix ms): lease-bound commands. */
  readonly validUntilMs?: number;
}

/** What one command adds to the batch's single commit. */
export interface Changes {
  readonly events: readonly EventRow[];
  readonly snapshots: readonly SnapshotRow[];
  /**
   * Operations on the domain's own tables by name, understood by the kind's apply function in SQL:
   * `public.eval_apply`, `race_apply` or `emission_apply` (infra/reference/schema/functions.sql).
   * Each operation object carries `cmd` (the command id) when the function may refuse it.
   */
  readonly operations: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly outbox: readonly OutboxRow[];
}

export interface EventRow {
  /** Machine kind: `agent-version`, `work-item`, `evaluation-run`. */
  readonly machine: string;
  readonly key: string;
  /** The actor that owns the machine (agent version id). */
  readonly actorKey: string;
  /** 1, 2, 3 … per (machine, key): the primary key is a second, independent fence. */
  readonly seq: number;
  readonly type: string;
  readonly typeVersion: number;
  readonly payload: unknown;
}

export interface SnapshotRow {
  readonly machine: string;
  readonly key: string;
  readonly actorKey: string;
  readonly seq: number;
  readonly machineVersion: number;
  readonly value: unknown;
  readonly context: unknown;
  /** True when the machine is in a final state: not loaded on activation. */
  readonly closed: boolean;
}

export interface OutboxRow {
  /** Unique for ever; derived from the command id. */
  readonly msgId: string;
  /** `evt.<kind>.<part>.<type>` or `fact.<type…>`; the stream follows from the first token. */
  readonly subject: string;
  readonly body: unknown;
}

/** One flush of soft state: the rows of a narrow table, written outside the commit path. */
export interface Flush {
  readonly table: 'run_beat';
  readonly rows: readonly {
    readonly evalRunId: string;
    readonly beatAtMs: number;
    readonly leaseUntilMs: number;
    readonly noProgressUntilMs: number;
    readonly runLimitUntilMs: number;
  }[];
}

/** Makes the actor of one partition, loaded from snapshots. */
export interface PartitionKind {
  /** `eval`, `race`, `emission`: its rows in rt.partition; `<kind>_apply` is its SQL function. */
  readonly kind: string;
  /**
   * What a violated constraint of the kind's own tables means to the one command that violates it.
   * Any other violation is a defect and answered INTERNAL_ERROR.
   */
  readonly faultByConstraint?: Readonly<Record<string, FaultCode>>;
  /** `<kind>_apply` takes the batches of several partitions at once, each row with its `part`. */
  readonly sharesCommits?: boolean;
  /**
   * What is due here is nobody's silence, so it is due as well while no caller could be heard. Not
   * unless told: else a lease would end that its holder had no way to renew.
   */
  readonly isDueWithoutCallers?: true;
  /** Gauges of a process: each shows the sum of one of its actors' `stats`. */
  readonly gauges?: Readonly<Partial<Record<GaugeName, string>>>;
  /**
   * Loads one partition. Messages of `evt.<kind>.<part>.<type>` come to it as commands whose id is
   * the message's and whose type is `<type>`; a refusal of one is recorded and acknowledged.
   */
  activate(part: number, activation: Activation): Promise<PartitionActor>;
}

/** Partitions of one kind that a process takes over at once, so that what it reads of them it reads once. */
export interface Takeover {
  readonly parts: readonly number[];
}

export interface Activation {
  /** This partition's, the same object for all of its partitions. */
  readonly takeover: Takeover;
  /** Database time at activation, Unix ms. */
  readonly nowMs: number;
  /**
   * Every live lease ends no earlier than this: a full fresh window after a takeover, since the
   * promises that the former owner gave last are unknown (amnesty).
   */
  readonly amnestyUntilMs: (leaseMs: number) => number;
  /** For how long nobody owned it before: no time of a caller's. None unless told. */
  readonly unservedMs?: number;
}
