import type { PartitionRef, PartitionToken } from './partition-store.ts';

/** Who is alive and who owns what. Every instant is the database's clock in Unix milliseconds. */
export interface MembershipStore {
  /** Makes this process a member; an older incarnation of the same name is dead from here on. */
  join(member: NewMember): Promise<number>;
  /** The clock, or undefined when the lease had ended: drop everything and join afresh. */
  renew(identity: MemberIdentity, ttlMs: number): Promise<number | undefined>;
  setDraining(identity: MemberIdentity): Promise<void>;
  leave(identity: MemberIdentity): Promise<void>;
  /** Ends the lease of a member that was found dead; false when it had ended already. */
  eject(identity: MemberIdentity): Promise<boolean>;
  /** Whether the database has a connection of this member; their names begin with its id. */
  isConnected(memberId: string): Promise<boolean>;
  view(): Promise<ClusterView>;
  /** Compare-and-set on the epoch that was seen; undefined when somebody else was faster or lives. */
  claim(
    ref: PartitionRef,
    seenEpoch: number,
    identity: MemberIdentity,
  ): Promise<Claimed | undefined>;
  /**
   * Those of them that `claim` would take, as one statement that takes all of these or, where one of them
   * cannot be locked in time, fails and takes none.
   */
  claimAll(
    seen: readonly SeenPartition[],
    identity: MemberIdentity,
  ): Promise<readonly ClaimedPartition[]>;
  release(token: PartitionToken): Promise<boolean>;
}

export interface MemberIdentity {
  readonly memberId: string;
  readonly incarnation: string;
}

export interface NewMember extends MemberIdentity {
  readonly ttlMs: number;
  readonly codeVersion: number;
  readonly kinds: readonly string[];
  /** The same process as before, which goes on draining if it was. */
  readonly isAgain?: boolean;
}

export interface Claimed {
  readonly epoch: number;
  readonly nowMs: number;
  /** For how long nobody served it before, as far as the database knows. */
  readonly unservedMs: number;
}

export interface SeenPartition extends PartitionRef {
  readonly epoch: number;
}

export interface ClaimedPartition extends PartitionRef, Claimed {}

export interface ClusterView {
  /** Members whose lease runs, draining ones included. */
  readonly members: readonly LiveMember[];
  readonly partitions: readonly PartitionRow[];
}

export interface LiveMember extends MemberIdentity {
  readonly draining: boolean;
  readonly codeVersion: number;
  readonly kinds: readonly string[];
}

export interface PartitionRow extends SeenPartition {
  readonly owner: string | undefined;
  readonly incarnation: string | undefined;
  readonly versionFloor: number;
}
