/**
 * The durable side of a partition: the fenced commit, what earlier commits answered, and soft state.
 * Nothing here retries; the caller decides what an outcome means for its memory.
 */
export interface PartitionStore {
  commit(token: PartitionToken, batch: CommitBatch): Promise<CommitOutcome>;
  /**
   * The batches of several partitions of one kind, in one statement where nothing stands against any of
   * them. Each is told as soon as its own outcome is known, which is what `commit` would have said.
   */
  commitAll<B extends OwnedBatch>(
    batches: readonly B[],
    tell: (batch: B, outcome: CommitOutcome) => void,
  ): Promise<void>;
  /**
   * Replies of messages that are in the inbox already, by message id. `fenced` when the partition has
   * another owner by now: then nothing that this one's memory says may be told to anybody.
   */
  replies(
    token: PartitionToken,
    consumer: string,
    msgIds: readonly string[],
  ): Promise<ReadonlyMap<string, unknown> | 'fenced'>;
  flush(part: number, flush: SoftState): Promise<void>;
  /** Sets a message aside that failed too often, and proves its consumption. */
  park(ref: PartitionRef, consumer: string, message: ParkedMessage): Promise<void>;
  /** True for errors that mean "the database cannot be asked now"; false for defects. */
  isOutage(error: unknown): boolean;
}

export interface PartitionRef {
  readonly kind: string;
  readonly part: number;
}

/** What the fence compares: a number that only grows and a name that is never used twice. */
export interface PartitionToken extends PartitionRef {
  readonly epoch: number;
  readonly incarnation: string;
}

export interface OwnedBatch {
  readonly token: PartitionToken;
  readonly batch: CommitBatch;
}

export interface CommitBatch {
  /** Refused when the database's clock is past this (Unix ms). */
  readonly validUntilMs: number | undefined;
  readonly inbox: readonly InboxProof[];
  readonly events: readonly object[];
  readonly snapshots: readonly object[];
  readonly operations: Readonly<Record<string, readonly object[]>>;
  readonly outbox: readonly OutgoingMessage[];
  /** Of the requests that it answers: how much there is to write, about. */
  readonly sizeBytes: number;
}

export interface InboxProof {
  readonly consumer: string;
  readonly msgId: string;
  readonly reply: unknown;
}

export interface OutgoingMessage {
  readonly msgId: string;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Where the proof of consumption will stand. */
  readonly targetKind: string;
  readonly targetPart: number;
  readonly targetConsumer: string;
  /** The sweeper sends it again when there is no proof by then. */
  readonly sweepAfterMs: number;
}

export type CommitOutcome =
  | { readonly kind: 'committed' }
  /** Nothing was written: these messages of the batch had been answered before. */
  | { readonly kind: 'duplicates'; readonly replies: ReadonlyMap<string, unknown> }
  /** Nothing was written, and never will be under this token. */
  | { readonly kind: 'fenced' }
  | { readonly kind: 'lease-passed'; readonly nowMs: number }
  /** A domain rule in SQL refuses commands of the batch, all for the same reason. */
  | {
      readonly kind: 'refused';
      readonly commands: readonly RefusedCommand[];
      readonly code: string;
      readonly detail: string;
      readonly extras: Readonly<Record<string, unknown>>;
    }
  /** A constraint or a malformed value; which command is to blame is not known. */
  | { readonly kind: 'invalid'; readonly constraint: string | undefined; readonly error: Error }
  /** Nothing was written, and the same batch may succeed in a moment (a lock, a deadlock). */
  | { readonly kind: 'contended'; readonly error: Error }
  /** Nothing was written; the database cannot be asked. */
  | { readonly kind: 'unavailable'; readonly error: Error }
  /** Nothing was written: what the caller's memory builds on is not what is stored. */
  | { readonly kind: 'diverged'; readonly error: Error }
  /** Written or not, or still running. */
  | { readonly kind: 'ambiguous'; readonly error: Error };

export interface RefusedCommand {
  readonly id: string;
  /** Where the rule says it: one command may be before several partitions at a time. */
  readonly part?: number;
}

export interface SoftState {
  readonly table: string;
  readonly rows: readonly object[];
}

export interface ParkedMessage {
  readonly msgId: string;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly error: string;
}
