import type {
  CommitBatch,
  OutgoingMessage,
  PartitionRef,
} from '../../infra/ports/partition-store.ts';
import type { Letter } from './mailbox.ts';
import type { Decision, OutboxRow } from './partition-actor.ts';

/** Names of consumers in the inbox: requests, and messages of other actors. */
export const requestConsumer = 'cmd';
export const messageConsumer = 'evt';
/** Every fact ends at the projector, which alone proves that it was consumed. */
const factConsumer = 'projector';

export interface Decided {
  readonly letter: Letter;
  readonly decision: Decision;
}

/** The single write of a batch, from decisions that all have something to write. */
export function commitBatch(
  ref: PartitionRef,
  decided: readonly Decided[],
  sweepAfterMs: number,
): CommitBatch {
  const operations: Record<string, object[]> = {};
  for (const { decision } of decided) {
    for (const [name, rows] of Object.entries(decision.changes?.operations ?? {})) {
      operations[name] ??= [];
      operations[name].push(...rows);
    }
  }
  const limits = decided.flatMap(({ decision }) => decision.validUntilMs ?? []);
  return {
    validUntilMs: limits.length === 0 ? undefined : Math.min(...limits),
    inbox: decided.map(({ letter, decision }) => ({
      consumer: consumerOf(letter),
      msgId: letter.command.id,
      reply: decision.reply,
    })),
    events: decided.flatMap(({ letter: { command }, decision }) =>
      (decision.changes?.events ?? []).map((event) => ({
        ...event,
        commandId: command.id,
        account: command.account,
        trace: command.trace,
      })),
    ),
    snapshots: newest(decided.flatMap(({ decision }) => decision.changes?.snapshots ?? [])),
    operations,
    outbox: decided.flatMap(({ letter, decision }) =>
      (decision.changes?.outbox ?? []).map((row) =>
        outgoing(ref, row, { trace: letter.command.trace, sweepAfterMs }),
      ),
    ),
    sizeBytes: decided.reduce((sum, { letter }) => sum + letter.sizeBytes, 0),
  };
}

export function consumerOf(letter: Letter): string {
  return letter.source === 'message' ? messageConsumer : requestConsumer;
}

/** One row per machine: a statement cannot update the same row twice. */
function newest<S extends { readonly machine: string; readonly key: string; readonly seq: number }>(
  snapshots: readonly S[],
): S[] {
  const byKey = new Map<string, S>();
  for (const snapshot of snapshots) {
    const id = `${snapshot.machine}/${snapshot.key}`;
    const other = byKey.get(id);
    if (other === undefined || other.seq <= snapshot.seq) byKey.set(id, snapshot);
  }
  return [...byKey.values()];
}

function outgoing(
  ref: PartitionRef,
  row: OutboxRow,
  sent: { readonly trace: Readonly<Record<string, string>>; readonly sweepAfterMs: number },
): OutgoingMessage {
  const headers = { ...sent.trace, 'x-kind': ref.kind, 'x-part': String(ref.part) };
  return { ...row, ...targetOf(ref, row.subject), headers, sweepAfterMs: sent.sweepAfterMs };
}

function targetOf(ref: PartitionRef, subject: string) {
  const [stream, kind, part] = subject.split('.');
  if (stream === 'evt' && kind !== undefined && part !== undefined && /^\d+$/.test(part)) {
    return { targetKind: kind, targetPart: Number(part), targetConsumer: messageConsumer };
  }
  if (stream === 'fact') {
    return { targetKind: ref.kind, targetPart: ref.part, targetConsumer: factConsumer };
  }
  throw new Error(`no stream takes ${subject}`);
}
