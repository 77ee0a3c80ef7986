import type { Transaction } from '../../../infra/ports/sql.ts';
import { familyCountsOf } from '../../../machines/suite/family-counts.ts';
import type { RequestOf } from '../messages.ts';
import type { AuditFacts } from './audit-entry.ts';
import type { operatorService, PackDocument, RegisteredPack } from './messages.ts';
import { findPack, insertPack, lockPack } from './store.ts';

type Request = RequestOf<typeof operatorService, 'register-pack'>;

export interface KeptPack {
  readonly pack: RegisteredPack;
  /** Not by this order but by one before it. */
  readonly isKnown: boolean;
}

/**
 * Before the log of orders is held, since thousands of tasks take seconds where much is going on, and a
 * ban would wait for them. The transaction that keeps the pack is that of the order: both are, or neither.
 */
export async function keepPack(
  tx: Transaction,
  { packSha256, sizeBytes }: Request,
  { manifest, tasks }: PackDocument,
): Promise<KeptPack> {
  await lockPack(tx, packSha256);
  const known = await findPack(tx, packSha256);
  if (known !== undefined) return { pack: known, isKnown: true };
  const familyCounts = familyCountsOf(tasks);
  const pack = { packSha256, sizeBytes, taskCount: tasks.length, familyCounts, manifest };
  await insertPack(tx, pack, tasks);
  return { pack, isKnown: false };
}

export function packRegistered({ pack, isKnown }: KeptPack, reason: string | null) {
  const { packSha256, sizeBytes, taskCount } = pack;
  const detail = isKnown
    ? { already_registered: true }
    : { size_bytes: sizeBytes, task_count: taskCount };
  const audit = { action: 'pack.register', object: `pack/${packSha256}`, reason, detail };
  return { reply: pack, audit: audit satisfies Omit<AuditFacts, 'actor'> };
}
