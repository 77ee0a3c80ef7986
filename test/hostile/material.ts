import type { ApiDocument } from '../../apps/edge/openapi/api-document.ts';
import type { TestKey } from '../support/edge-client.ts';
import type { Cell } from './cells.ts';

/** What hostile requests are made of: real keys, tokens and ids of a running service. */
export interface Material {
  readonly document: ApiDocument;
  readonly closedCells: readonly Cell[];
  /** Registered and in good standing; what is forged is forged in their names. */
  readonly keys: { readonly miners: readonly TestKey[]; readonly validators: readonly TestKey[] };
  readonly sessions: { readonly miners: readonly string[]; readonly validators: readonly string[] };
  /** Of ended, expired, banned and deregistered ones. */
  readonly deadSessions: readonly string[];
  readonly operatorToken: string;
  readonly runToken: string;
  readonly endedRunToken: string;
  /** Presigned, for one object each. */
  readonly objectUrls: readonly { readonly method: string; readonly url: string }[];
  readonly replays: ReplayPool;
}

/** Signed headers that were accepted once. */
export class ReplayPool {
  #used: Readonly<Record<string, string>>[] = [];

  add(headers: Readonly<Record<string, string>>): void {
    this.#used = [...this.#used.slice(-63), headers];
  }

  get used(): readonly Readonly<Record<string, string>>[] {
    return this.#used;
  }
}
