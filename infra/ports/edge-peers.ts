/**
 * The edges among themselves. What one of them says is advice: each can go on alone, so nothing
 * here rejects and nobody waits long.
 */
export interface EdgePeers {
  /** Unique among the edges that run at one time. */
  readonly self: string;
  /** Who is there, this edge included, in no particular order. */
  readonly names: readonly string[];
  /** What the edge answers to one line; undefined when it is gone, or silent for half a second. */
  ask(edge: string, question: string): Promise<string | undefined>;
  /** Told once, before `names` holds anybody else. Undefined for what makes no sense. */
  answer(reply: (question: string) => string | undefined): void;
}

/** What hosts hear of an edge. */
export interface EdgeBeacon {
  /**
   * Ends a silence now. Called before what somebody who was let in asks for is sent on: a host that
   * heard of that first would still count the silence as the caller's.
   */
  speak(): void;
}
