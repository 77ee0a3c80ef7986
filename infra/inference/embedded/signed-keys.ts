import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { randomHex, sha256Hex } from '../../ids/ids.ts';

const facts = z.object({
  id: z.string(),
  /** Which credential it was made with; a digest. */
  account: z.string(),
  /** Unix milliseconds. */
  expiresAtMs: z.number(),
  /** The most that it may spend; null where there is no cap. */
  limit: z.number().nullable(),
});

export type KeyFacts = z.infer<typeof facts>;

/**
 * Keys that say themselves what they are good for, under a signature: a stand-in that is started
 * again knows them still. What was revoked or spent before is forgotten with the process.
 */
export class SignedKeys {
  readonly #secret: string;
  readonly #prefix: string;
  readonly #revoked = new Set<string>();
  readonly #spent = new Map<string, number>();

  constructor(secret: string, prefix: string) {
    this.#secret = secret;
    this.#prefix = prefix;
  }

  make(terms: Omit<KeyFacts, 'id'>): { readonly key: string; readonly id: string } {
    const id = randomHex(12);
    const body = Buffer.from(JSON.stringify({ id, ...terms })).toString('base64url');
    return { key: `${this.#prefix}${body}.${this.#sign(body)}`, id };
  }

  /** Undefined for what was never made here, has ended or was revoked. */
  read(key: string, nowMs: number): KeyFacts | undefined {
    const [body = '', signature = ''] = key.slice(this.#prefix.length).split('.');
    if (!key.startsWith(this.#prefix) || !isSame(signature, this.#sign(body))) return undefined;
    const known = facts.parse(JSON.parse(Buffer.from(body, 'base64url').toString()));
    return known.expiresAtMs <= nowMs || this.#revoked.has(known.id) ? undefined : known;
  }

  revoke(id: string): void {
    this.#revoked.add(id);
  }

  isSpent(known: KeyFacts): boolean {
    const left = this.leftOf(known);
    return left !== null && left <= 0;
  }

  /** Null where there is no cap. */
  leftOf({ id, limit }: KeyFacts): number | null {
    return limit === null ? null : limit - (this.#spent.get(id) ?? 0);
  }

  spend({ id }: KeyFacts, amount: number): void {
    this.#spent.set(id, (this.#spent.get(id) ?? 0) + amount);
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#secret).update(`${this.#prefix}${body}`).digest('hex');
  }
}

export const accountOf = (credential: string): string => sha256Hex(credential).slice(0, 16);

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
