import type { CounterName } from '../../infra/ports/metrics.ts';
import type { Telemetry, TelemetryAttributes } from '../../infra/ports/telemetry.ts';
import { evaluationRun } from '../../machines/evaluation-run/machine.ts';
import type { Command, Decision } from '../runtime/partition-actor.ts';

interface Count {
  readonly name: CounterName;
  readonly attributes?: TelemetryAttributes;
}

/** Counts what becomes of leases; what a batch decided counts once it is durable. */
export class LeaseCounts {
  readonly #telemetry: Pick<Telemetry, 'count'>;
  #pending: Count[] = [];

  constructor(telemetry: Pick<Telemetry, 'count'>) {
    this.#telemetry = telemetry;
  }

  beatInMemory(): void {
    this.#telemetry.count('paddock.heartbeats');
  }

  lengthened(leases: number): void {
    this.#telemetry.count('paddock.lease.amnesties', leases);
  }

  decided({ type }: Command, { reply, changes }: Decision): void {
    if (type === 'heartbeat' && reply.kind === 'ok') {
      this.#pending.push({ name: 'paddock.heartbeats' });
    }
    for (const { machine, type: fact, payload } of changes?.events ?? []) {
      if (machine !== evaluationRun.name || fact !== 'STALED') continue;
      const { reason } = payload as { readonly reason: string };
      this.#pending.push({ name: 'paddock.lease.expiries', attributes: { reason } });
    }
  }

  commit(): void {
    for (const { name, attributes } of this.#pending) this.#telemetry.count(name, 1, attributes);
    this.forget();
  }

  forget(): void {
    this.#pending = [];
  }
}
