/** What the subnet says of a key, in the words of the API. */
export interface Standing {
  readonly role: 'miner' | 'validator';
  readonly uid: number;
  /** In the chain's smallest unit. */
  readonly stake: bigint;
  /** SS58 of the owner, where the chain names one. */
  readonly coldkey: string | null;
  /** SS58 of all hotkeys of that owner, of a validator: their work is its own. Null: there are too many. */
  readonly ownedHotkeys: readonly string[] | null;
}

export interface Registrations {
  /**
   * Undefined when the key is not registered. Served from a cache within its time, and within its
   * grace while the chain cannot be asked.
   *
   * @throws ChainUnavailable when the chain cannot be asked and nothing of the key is known
   */
  standing(publicKeyHex: string): Promise<Standing | undefined>;
  /** True when the cache knows, without asking anybody, that the key is not registered. */
  isKnownAbsent(publicKeyHex: string): boolean;
  /** The next question goes to the chain: its answer was changed just now. */
  forget(publicKeyHex: string): void;
}
