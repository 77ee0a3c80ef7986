/** Keeps secrets at rest: what is written to the database is sealed first and opened where it is used. */
export interface Seal {
  /** The key that new texts are sealed with. */
  readonly sealingKeyId: string;
  /**
   * @param context what the secret is and whose, as `webhook/<id>`: a sealed text that was moved to
   *   another place does not open there
   */
  seal(plaintext: string, context: string): string;
  /** @throws SealKeyMissing, SealBroken */
  open(sealed: string, context: string): string;
}

/** Neither the text nor what it was meant for: both could end in a log. */
export class SealBroken extends Error {
  override name = 'SealBroken';
}

/**
 * The text may be good, but this process was not given the key that it was sealed with: an outage of
 * ours, which says nothing of the secret.
 */
export class SealKeyMissing extends SealBroken {
  override name = 'SealKeyMissing';
  readonly keyId: string;

  constructor(keyId: string) {
    // Quoted, since the id is a stranger's text until a key with it is known.
    super(`CREDENTIAL_KEYS of this process holds no key ${JSON.stringify(keyId.slice(0, 64))}`);
    this.keyId = keyId;
  }
}
