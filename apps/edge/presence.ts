import type { HostReport as Host, Sighting } from '../../actors/services/presence/messages.ts';
import { presenceService } from '../../actors/services/presence/messages.ts';
import { randomId } from '../../infra/ids/ids.ts';
import type { CommandBus } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { DomainTime } from '../../infra/ports/clock-follower.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Standing } from './auth/registrations.ts';
import { chunksOf } from './evaluation/chunks.ts';
import type { HostReport } from './wire/host-report.ts';

/** Remembers that a validator was here, for lists and operators; never waits, never fails. */
export interface Presence {
  seen(hotkey: string, report: HostReport): void;
  /** The same for any request of a validator, with what the chain says of it. */
  proven(hotkey: string, standing: Pick<Standing, 'coldkey' | 'stake' | 'uid'>): void;
}

// Seen within five minutes is "active", so a few seconds more do not matter, and one message of at
// most a thousand sightings replaces a row write per heartbeat.
const flushMs = 2000;
const batchMax = 1000;
// One host may say 64 KiB of itself, and a report that the broker refuses is lost for all in it.
const messageBytesMax = 512 * 1024;

/** Collects sightings and reports them every two seconds; what a crash loses, the next beat says. */
export function createPresence(deps: {
  readonly bus: CommandBus;
  readonly clock: Clock;
  readonly time: Pick<DomainTime, 'nowMs'>;
}): Presence & Service {
  const sightings = new Map<string, Sighting>();
  let stopTicking: (() => void) | undefined;

  async function flush(): Promise<void> {
    const batch = [...sightings.values()].slice(0, batchMax);
    for (const { hotkey } of batch) sightings.delete(hotkey);
    for (const part of chunksOf(batch, messageBytesMax)) await report(part);
  }

  async function report(part: readonly Sighting[]): Promise<void> {
    const request = { id: randomId(), type: 'report-validators', account: 'system' };
    // A report that fails is dropped: it is advice, and the broker being down must not pile it up.
    await deps.bus
      .call(presenceService.name, { ...request, body: { sightings: part } })
      .catch(() => undefined);
  }

  return {
    seen(hotkey, report) {
      const before = sightings.get(hotkey);
      const host = toHost(report) ?? before?.host ?? null;
      const { uid = null, stake = null, coldkey = null } = before ?? {};
      sightings.set(hotkey, { hotkey, seenAtMs: deps.time.nowMs(), uid, stake, coldkey, host });
    },
    proven(hotkey, { uid, stake, coldkey }) {
      const host = sightings.get(hotkey)?.host ?? null;
      const seenAtMs = deps.time.nowMs();
      sightings.set(hotkey, { hotkey, seenAtMs, uid, stake: String(stake), coldkey, host });
    },
    async start() {
      stopTicking ??= deps.clock.every(flushMs, flush);
    },
    async stop() {
      stopTicking?.();
      stopTicking = undefined;
      await flush();
    },
  };
}

function toHost(report: HostReport): Host | null {
  if (report === null || report === undefined) return null;
  return {
    serviceVersions: report.service_versions ?? null,
    cpuPct: report.cpu_pct ?? null,
    ramPct: report.ram_pct ?? null,
    diskPct: report.disk_pct ?? null,
    dockerContainerCount: report.docker_container_count ?? null,
  };
}
