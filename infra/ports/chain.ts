/** What the subnet says of a hotkey. Keys are 32-byte public keys in lower-case hex, no prefix. */
export interface Registration {
  readonly uid: number;
  readonly validatorPermit: boolean;
  /** In the chain's smallest unit. */
  readonly stake: bigint;
  readonly coldkey: string | null;
  /**
   * All that its coldkey owns, where it has a permit: of whoever evaluates nothing, nobody asks. Null where
   * there are more than can be told; they are then as unknown as if they had not been asked for.
   */
  readonly ownedHotkeys: readonly string[] | null;
  readonly registeredAtBlock: number;
}

/** Reads the subnet over Substrate JSON-RPC. Throws ChainUnavailable when the node cannot be asked. */
export interface Chain {
  /** Undefined when the hotkey is not registered on the subnet. */
  registration(hotkeyHex: string): Promise<Registration | undefined>;
  blockNumber(): Promise<number>;
}

export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable';
}
