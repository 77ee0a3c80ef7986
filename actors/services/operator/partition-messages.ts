import { evalPartitions } from '../../../machines/partition-of.ts';
import type { evalMessages } from '../../lease-manager/messages.ts';
import { messageConsumer } from '../../runtime/commit-batch.ts';
import type { CommandFacts } from '../service-handler.ts';
import type { PartitionMessage } from './store.ts';

// The messages are published right after the commit; the sweeper sends what got lost.
const sweepAfterMs = 5_000;

/** One durable message to every eval partition, under ids that follow from the command's. */
export function toAllPartitions(
  command: CommandFacts,
  type: keyof typeof evalMessages,
  body: unknown,
): readonly PartitionMessage[] {
  return Array.from({ length: evalPartitions }, (_, part) => ({
    msgId: `svc:${command.id}:${type}:${part}`,
    subject: `evt.eval.${part}.${type}`,
    targetKind: 'eval',
    targetPart: part,
    targetConsumer: messageConsumer,
    headers: { ...command.trace, 'x-kind': 'svc', 'x-part': '0' },
    body,
    sweepAfterMs,
  }));
}
