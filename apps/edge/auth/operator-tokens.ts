import { createHash, timingSafeEqual } from 'node:crypto';

/** The configured operators, by the hashes of their tokens. */
export class OperatorTokens {
  readonly #operators: readonly { readonly name: string; readonly hash: Buffer }[];

  constructor(operators: readonly { readonly name: string; readonly token: string }[]) {
    this.#operators = operators.map(({ name, token }) => ({ name, hash: sha256(token) }));
  }

  /** Compares with every token, in a time that says nothing of any. */
  nameOf(token: string): string | undefined {
    const given = sha256(token);
    let found: string | undefined;
    for (const { name, hash } of this.#operators) {
      if (timingSafeEqual(given, hash)) found = name;
    }
    return found;
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
