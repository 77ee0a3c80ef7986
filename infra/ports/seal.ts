/** Keeps secrets at rest: what is written to the database is sealed first and opened where it is used. */
export interface Seal {
  /** The key that new texts are sealed with. */
  readonly sealingKeyId: string;
  /** By the id of each key of the ring a value that tells it from any other, and nothing of it. */
  readonly keyChecks: ReadonlyMap<string, string>;
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

/** An id of this process's ring stands for another key in the database: here nothing may be sealed. */
export class SealKeyChanged extends Error {
  override name = 'SealKeyChanged';
  readonly code = 'SEAL_KEY_CHANGED';

  constructor(keyId: string) {
    const id = JSON.stringify(keyId);
    super(
      `CREDENTIAL_KEYS of this process has another key under the id ${id} than the one that the secrets ` +
        'in this database are sealed with: put that one back, from the environment that the database was ' +
        'run with before. If it is lost, give the new key an id that was never used here; what the lost ' +
        'one sealed does not open any more, and its owners enter it again',
    );
  }
}

/** @throws SealKeyChanged, where a key of the ring is not the one that is known by its id */
export function refuseChangedKeys(
  { keyChecks }: Pick<Seal, 'keyChecks'>,
  known: ReadonlyMap<string, string>,
): void {
  for (const [keyId, check] of keyChecks) {
    if ((known.get(keyId) ?? check) !== check) throw new SealKeyChanged(keyId);
  }
}
