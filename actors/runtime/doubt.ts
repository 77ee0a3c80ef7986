import type { WireReply } from '../../infra/ports/bus.ts';
import type { MembershipStore } from '../../infra/ports/membership-store.ts';
import type { PartitionStore, PartitionToken } from '../../infra/ports/partition-store.ts';
import { consumerOf } from './commit-batch.ts';
import type { Letter } from './mailbox.ts';
import type { Membership } from './membership.ts';

/**
 * Takes a partition once more from ourselves: waits for a commit that still runs, or fences it. Undefined
 * when the partition belongs to another process.
 */
export async function claimAgain(
  token: PartitionToken,
  { members, membership }: { readonly members: MembershipStore; readonly membership: Membership },
): Promise<{ readonly token: PartitionToken; readonly nowMs: number } | undefined> {
  const { identity } = membership;
  if (identity.incarnation !== token.incarnation) return undefined;
  // An earlier self-claim whose answer was lost has moved the epoch on already.
  const { kind, part, incarnation } = token;
  const view = await members.view();
  const row = view.partitions.find((other) => other.kind === kind && other.part === part);
  if (row?.incarnation !== incarnation) return undefined;
  const claimed = await members.claim(token, row.epoch, identity);
  if (claimed === undefined) return undefined;
  return { token: { kind, part, incarnation, epoch: claimed.epoch }, nowMs: claimed.nowMs };
}

/**
 * What the inbox holds of these letters: they were decided by a commit whose outcome was not known.
 * Undefined when the partition belongs to another process.
 */
export async function repliesInInbox(
  letters: readonly Letter[],
  { store, token }: { readonly store: PartitionStore; readonly token: PartitionToken },
): Promise<Map<Letter, WireReply> | undefined> {
  const answered = new Map<Letter, WireReply>();
  for (const consumer of new Set(letters.map(consumerOf))) {
    const alike = letters.filter((letter) => consumerOf(letter) === consumer);
    const ids = alike.map((letter) => letter.command.id);
    const replies = await store.replies(token, consumer, ids);
    if (replies === 'fenced') return undefined;
    for (const letter of alike) {
      const reply = replies.get(letter.command.id);
      if (reply !== undefined) answered.set(letter, reply as WireReply);
    }
  }
  return answered;
}
