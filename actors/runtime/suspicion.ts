import type { PartitionBus, Subscription } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { LiveMember, MembershipStore } from '../../infra/ports/membership-store.ts';
import { awaitedMember } from './placement.ts';

export interface SuspicionDeps {
  readonly memberId: string;
  readonly bus: PartitionBus;
  readonly members: MembershipStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** False for one that others do not reach: it may be the one that is cut off. */
  readonly mayJudge: () => boolean;
  /** Ownership may have changed: look at once. */
  readonly nudge: () => void;
}

/**
 * Between two pings that meet nobody, where the database still has a connection of the member: longer
 * than a client needs to connect again.
 */
const secondPingMs = 300;
const lookEveryMs = 30;
/** After the broker came back everybody is away for a moment. */
const graceMs = 2_000;

/**
 * Hears callers that met no owner. A member whose sockets the kernel has closed answers no ping and
 * is dead: its lease is ended for it, so that its partitions move at once instead of after five seconds,
 * and so do those that it was to take, had it lived. The whole member, not the partition, or the others
 * would hand it straight back.
 *
 * Broker and database are two witnesses. Where both saw its connections end, it is not waited for; one
 * that lost the broker alone, or is frozen or cut off, is still connected to the database.
 */
export class Suspicion {
  readonly #deps: SuspicionDeps;
  readonly #looking = new Set<string>();
  #subscriptions: Subscription[] = [];
  #graceUntilMs = 0;

  constructor(deps: SuspicionDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { bus, clock } = this.#deps;
    this.#subscriptions = [
      bus.onSignal('suspect', (body) => void this.#suspect(body)),
      bus.onOutageEnd(() => {
        this.#graceUntilMs = clock.monotonicMs() + graceMs;
      }),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#subscriptions.map((subscription) => subscription.close()));
  }

  async #suspect(body: unknown): Promise<void> {
    const { clock, log, members, memberId, nudge } = this.#deps;
    const ref = refOf(body);
    if (ref === undefined || clock.monotonicMs() < this.#graceUntilMs) return;
    const key = `${ref.kind}.${ref.part}`;
    if (this.#looking.has(key)) return;
    this.#looking.add(key);
    try {
      const view = await members.view();
      const row = view.partitions.find((r) => r.kind === ref.kind && r.part === ref.part);
      const awaited = row && awaitedMember(row, view.members);
      if (awaited === undefined || awaited.memberId === memberId) nudge();
      else await this.#examine(awaited);
    } catch (error) {
      log.warn('looking for an owner failed', { ...ref, error });
    } finally {
      this.#looking.delete(key);
    }
  }

  async #examine(member: LiveMember): Promise<void> {
    const { bus, log, mayJudge, members, nudge } = this.#deps;
    if (this.#looking.has(member.incarnation)) return;
    this.#looking.add(member.incarnation);
    try {
      if ((await bus.ping(member.memberId)) !== 'absent') return;
      await this.#untilGone(member);
      // Who is out himself may be the one that is cut off: for him the database alone is no witness of life.
      if (!mayJudge() && (await members.isConnected(member.memberId))) return;
      if ((await bus.ping(member.memberId)) !== 'absent') return;
      if (await members.eject(member)) {
        log.warn('ended the lease of a dead member', { member: member.memberId });
        bus.signal('left', { memberId: member.memberId });
      }
      nudge();
    } finally {
      this.#looking.delete(member.incarnation);
    }
  }

  /** The database ends the connections of a dead process a moment after the kernel closed them. */
  async #untilGone({ memberId }: LiveMember): Promise<void> {
    const { clock, members } = this.#deps;
    const sinceMs = clock.monotonicMs();
    while (await members.isConnected(memberId)) {
      const leftMs = sinceMs + secondPingMs - clock.monotonicMs();
      if (leftMs <= 0) return;
      await clock.sleep(Math.min(lookEveryMs, leftMs));
    }
  }
}

function refOf(body: unknown): { kind: string; part: number } | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (!('kind' in body && 'part' in body)) return undefined;
  const { kind, part } = body;
  return typeof kind === 'string' && typeof part === 'number' ? { kind, part } : undefined;
}
