import type { Changes } from './partition-actor.ts';

/**
 * Whether a command leaves nothing to write, neither facts nor rows nor messages: then it is answered without
 * a commit. What a commit would depend on is none of them, and comes only with something of them.
 */
export function isNothing({ events, operations, outbox }: Omit<Changes, 'snapshots'>): boolean {
  const hasRows = Object.values(operations).some((rows) => rows.length > 0);
  return events.length === 0 && !hasRows && outbox.length === 0;
}
