/** Keeps secrets at rest: what is written to the database is sealed first and opened where it is used. */
export interface Seal {
  /**
   * @param context what the secret is and whose, as `webhook/<id>`: a sealed text that was moved to
   *   another place does not open there
   */
  seal(plaintext: string, context: string): string;
  /** @throws when no key of the ring opens it, or it was sealed for another context */
  open(sealed: string, context: string): string;
}
