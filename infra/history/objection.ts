import type { History, Mark } from '../ports/history.ts';

/**
 * `behind`: the database was further than it is. `forked`: it went back and on again, unseen. `other`: it
 * is not the database, nor a copy of the one, that was asked before.
 */
export type Objection = 'behind' | 'forked' | 'other';

/**
 * What a mark that was kept elsewhere says against a database's history. A mark is kept only after it
 * was committed, so the database may be ahead of it and never behind.
 */
export function objectionOf(
  kept: Mark,
  { newest, oldestSeq, hashes }: History,
): Objection | undefined {
  if (kept.genesis !== newest.genesis) return 'other';
  if (kept.branch > newest.branch) return 'behind';
  // It went back, operators know, and the copy was not reached since.
  if (kept.branch < newest.branch) return undefined;
  if (kept.seq > newest.seq) return 'behind';
  const found = hashes.get(kept.seq);
  // Older than what the database remembers: nothing can be said.
  if (found === undefined && kept.seq < oldestSeq) return undefined;
  return found === kept.hash ? undefined : 'forked';
}
