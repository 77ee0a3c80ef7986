/** What was heard of the public feed, from outside of the service. Times are Unix milliseconds. */

/** One event as it came over a stream: the three lines, and when the last of it was there. */
export interface HeardEvent {
  readonly id: string;
  readonly name: string;
  /** The JSON text. */
  readonly text: string;
  readonly atMs: number;
}

/** All that one client of the feed ever read, over all of its streams. */
export interface ListenerRecord {
  readonly name: string;
  /** The cursor after which it began; undefined while no stream has said so. */
  after: number | undefined;
  readonly heard: HeardEvent[];
  /** Answers that no client should ever get, such as 422 for a cursor that it was given. */
  readonly refusals: string[];
}

/** One attempt to tell a receiver. */
export interface Delivery {
  readonly id: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly body: string;
  readonly atMs: number;
  /** What the sender may believe: a 2xx in time, anything else, or nobody can tell. */
  outcome: 'refused' | 'taken' | 'unsure';
}

export interface HookRecord {
  readonly name: string;
  readonly secret: string;
  /** The cursor after which it is told. */
  readonly after: number;
  /** Null: all of them. */
  readonly types: readonly string[] | null;
  readonly deliveries: readonly Delivery[];
}
