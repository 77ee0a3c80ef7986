/** As many as are counted of a pile. */
export const backlogMax = 20_000;

/** Messages that a commit left behind for others, until their consumption is proved. */
export interface OutboxStore {
  /**
   * Takes messages without proof that are due, so that no other process takes them now; each is put
   * off four times as long as the time before, beginning with `firstMs`.
   */
  takeDue(limit: number, firstMs: number): Promise<readonly DueMessage[]>;
  /** Those that were taken and could not be sent are due in `afterMs`, as if they had not been taken. */
  unsent(messages: readonly DueMessage[], afterMs: number): Promise<void>;
  /**
   * Those without proof, first those that would wait longest, are due in `withinMs` at the latest, for the broker
   * that had them may have lost them; answers how many that changed.
   */
  hasten(withinMs: number, limit: number): Promise<number>;
  /** Deletes those of some pages whose consumption is proved; the next stretch is at 0 after the last one. */
  purgeProven(stretch: {
    readonly fromPage: number;
    readonly pages: number;
  }): Promise<{ readonly purged: number; readonly nextPage: number }>;
  /**
   * For the dashboards: what waits for its proof, and for how long the oldest has. Of more than `backlogMax` it is
   * so at the least.
   */
  backlog(): Promise<{ readonly pending: number; readonly oldestAgeMs: number }>;
  /** Forgets proofs older than `keepMs`, which must outlive the streams' age limit. */
  expireProofs(keepMs: number, limit: number): Promise<number>;
}

export interface DueMessage {
  readonly kind: string;
  readonly part: number;
  readonly msgId: string;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** 1 for the first time the sweeper takes it. */
  readonly attempts: number;
}
