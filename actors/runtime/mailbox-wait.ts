import type { Clock } from '../../infra/ports/clock.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import type { Letter } from './mailbox.ts';
import type { PartitionKind } from './partition-actor.ts';

/** Says how long each letter waited, and shows it in the letter's own trace. */
export function measureWait(
  letters: readonly Letter[],
  by: { readonly clock: Clock; readonly telemetry: Telemetry; readonly kind: PartitionKind },
): void {
  const { clock, telemetry } = by;
  const nowMs = clock.monotonicMs();
  for (const { arrivedMs, arrivedAtMs, command } of letters) {
    telemetry.record('paddock.mailbox.wait', nowMs - arrivedMs, { kind: by.kind.kind });
    if (command.trace['traceparent'] === undefined) continue;
    const options = { parent: command.trace, startedAtMs: arrivedAtMs };
    void telemetry.span('mailbox wait', options, () => Promise.resolve());
  }
}
