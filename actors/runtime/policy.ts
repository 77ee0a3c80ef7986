/** Every duration and bound of the runtime. Tests shorten them; production runs on the defaults. */
export interface RuntimePolicy {
  /** A member that has not renewed for this long is dead to the others. */
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** How long the set of members must stay as it is before partitions move between the living. */
  readonly calmMs: number;
  readonly placeEveryMs: number;
  readonly handOversAtOnce: number;
  /** Partitions that are claimed by one statement and read together. */
  readonly claimsTogether: number;
  /** What a hand-over waits for its mailbox before it tells the rest to ask again. */
  readonly handOverMs: number;
  readonly batchSizeMax: number;
  /** How long a commit waits for others to share its statement; not at all beyond its turn when 0. */
  readonly gatherCommitsMs: number;
  /** What one commit writes well within the statement timeout, also beside seven others. */
  readonly batchBytesMax: number;
  readonly mailboxCommandsMax: number;
  readonly mailboxBytesMax: number;
  readonly headWaitMaxMs: number;
  /** How often actors are asked what is due, which costs next to nothing while nothing is. */
  readonly dueEveryMs: number;
  /** What was due, and still is after it was posted, is posted again so much later. */
  readonly dueAgainMs: number;
  /** How often heartbeats kept in memory are written down. */
  readonly flushEveryMs: number;
  /** Outages shorter than this move no deadline. */
  readonly outageMinMs: number;
  /** An edge that is not heard for this long is gone; they speak every second. */
  readonly edgeSilenceMs: number;
  readonly edgeLookEveryMs: number;
  /** An edge that lets its callers in later than this costs them what is beyond. */
  readonly edgeWaitMaxMs: number;
  readonly sweepEveryMs: number;
  /** A message without proof of consumption is sent again after this, then four times as long … */
  readonly sweepAfterMs: number;
  readonly ackWaitMs: number;
  /** What this code writes; a partition whose `version_floor` is higher is not claimed. */
  readonly codeVersion: number;
}

export const defaultPolicy: RuntimePolicy = {
  leaseMs: 5_000,
  renewEveryMs: 1_000,
  // A rolling deploy must not move everything twice.
  calmMs: 3_000,
  placeEveryMs: 1_000,
  handOversAtOnce: 8,
  // All of them would answer nobody until the last is read.
  claimsTogether: 16,
  handOverMs: 2_000,
  batchSizeMax: 64,
  gatherCommitsMs: 0,
  batchBytesMax: 1024 * 1024,
  mailboxCommandsMax: 512,
  mailboxBytesMax: 4 * 1024 * 1024,
  headWaitMaxMs: 500,
  dueEveryMs: 20,
  dueAgainMs: 200,
  flushEveryMs: 10_000,
  outageMinMs: 1_000,
  edgeSilenceMs: 3_000,
  edgeLookEveryMs: 200,
  // As long as deployed clients wait for an answer.
  edgeWaitMaxMs: 30_000,
  sweepEveryMs: 1_000,
  sweepAfterMs: 30_000,
  // Longer than the statement timeout and a few batches.
  ackWaitMs: 30_000,
  codeVersion: 1,
};

/** Serving stops this much of a lease after the last renewal was sent: the rest is for clock drift. */
export const certainShare = 0.8;
/**
 * After this much of a lease without a renewal that was answered somebody else may have served for a while. More
 * than one lease: a database that answers within three seconds renews the lease whenever it is asked.
 */
export const lapsedShare = 1.5;
