import { evalPartitions, racePartitions } from '../../../machines/partition-of.ts';
import type { evalMessages } from '../../lease-manager/messages.ts';
import type { raceMessages } from '../../race-coordinator/messages.ts';
import { messageConsumer } from '../../runtime/commit-batch.ts';
import type { CommandFacts } from '../service-handler.ts';
import type { PartitionMessage } from './store.ts';

// The messages are published right after the commit; the sweeper sends what got lost.
const sweepAfterMs = 5_000;

/** What a kind of partition understands. */
export type Addressed =
  | { readonly kind: 'eval'; readonly type: keyof typeof evalMessages }
  | { readonly kind: 'race'; readonly type: keyof typeof raceMessages };

const partitions = { eval: evalPartitions, race: racePartitions } as const;

/** One durable message, under an id that follows from that of what makes it. */
export function toPartition(
  command: CommandFacts,
  { kind, type, part }: Addressed & { readonly part: number },
  body: unknown,
): PartitionMessage {
  return {
    msgId: `svc:${command.id}:${kind}:${type}:${part}`,
    subject: `evt.${kind}.${part}.${type}`,
    targetKind: kind,
    targetPart: part,
    targetConsumer: messageConsumer,
    headers: { ...command.trace, 'x-kind': 'svc', 'x-part': '0' },
    body,
    sweepAfterMs,
  };
}

/** The same to every partition of a kind. */
export function toAllPartitions(
  command: CommandFacts,
  to: Addressed,
  body: unknown,
): readonly PartitionMessage[] {
  return Array.from({ length: partitions[to.kind] }, (_, part) =>
    toPartition(command, { ...to, part }, body),
  );
}
