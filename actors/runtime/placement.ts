import type { ClusterView, LiveMember, PartitionRow } from '../../infra/ports/membership-store.ts';
import { fnv1a32 } from '../../machines/partition-of.ts';

/**
 * Who should own what among those who do not drain, by rendezvous hashing over the live members: every process computes the same
 * answer from the same rows, and a member that comes or goes moves only its own share. Being wrong
 * for a moment is harmless: claims are compare-and-set, commits are fenced.
 */
export function wantedOwner(
  partition: PartitionRow,
  members: readonly LiveMember[],
): string | undefined {
  return heaviest(
    partition,
    members.filter(({ draining }) => !draining),
  );
}

function heaviest(partition: PartitionRow, members: readonly LiveMember[]): string | undefined {
  let best: { memberId: string; weight: number } | undefined;
  for (const member of members) {
    if (!mayOwn(member, partition)) continue;
    const { memberId } = member;
    const weight = mixed(fnv1a32(`${memberId}/${partition.kind}/${partition.part}`));
    const wins =
      best === undefined ||
      weight > best.weight ||
      (weight === best.weight && memberId > best.memberId);
    if (wins) best = { memberId, weight };
  }
  return best?.memberId;
}

function mayOwn(member: LiveMember, partition: PartitionRow): boolean {
  return member.kinds.includes(partition.kind) && member.codeVersion >= partition.versionFloor;
}

/** The last step of MurmurHash3: FNV alone leaves names that differ in one digit close together. */
function mixed(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

export interface Plan {
  /** Free, or of an owner without a live lease, and this member's to take. */
  readonly claim: readonly PartitionRow[];
  /** Served here and wanted elsewhere. */
  readonly handOver: readonly PartitionRow[];
}

export function planFor(
  self: { readonly memberId: string; readonly incarnation: string },
  view: ClusterView,
  served: ReadonlySet<string>,
): Plan {
  const alive = new Set(view.members.map((member) => member.incarnation));
  const claim: PartitionRow[] = [];
  const handOver: PartitionRow[] = [];
  for (const row of view.partitions) {
    const wanted = wantedOwner(row, view.members);
    if (served.has(keyOf(row))) {
      if (wanted !== undefined && wanted !== self.memberId) handOver.push(row);
      continue;
    }
    // Ours by the row but not served: an activation failed, or a release, and nobody else may take it
    // while we live. Wherever it belongs, it is served here first and handed over from there.
    const isOurs = row.incarnation === self.incarnation;
    const isFree = row.incarnation === undefined || !alive.has(row.incarnation);
    if (isOurs || (takerOf(row, view.members) === self.memberId && isFree)) claim.push(row);
  }
  return { claim, handOver };
}

/** Should all others be gone, one that was to be empty serves rather than nobody. */
function takerOf(partition: PartitionRow, members: readonly LiveMember[]): string | undefined {
  return wantedOwner(partition, members) ?? heaviest(partition, members);
}

/** Its owner, or else who is to take it: while that one's lease runs, nobody else serves it. */
export function awaitedMember(
  partition: PartitionRow,
  members: readonly LiveMember[],
): LiveMember | undefined {
  const owner = members.find(({ incarnation }) => incarnation === partition.incarnation);
  if (owner !== undefined) return owner;
  const taker = takerOf(partition, members);
  return members.find(({ memberId }) => memberId === taker);
}

export function keyOf(ref: { readonly kind: string; readonly part: number }): string {
  return `${ref.kind}.${ref.part}`;
}
