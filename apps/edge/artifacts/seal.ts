import type { Fault, FaultCode } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { RunSeal } from '../reads/artifacts.ts';
import { formatInstant } from '../wire/instant.ts';
import { isRunReleased } from '../wire/public-run.ts';

/** A run's artifact as it was found, once its race (if it has one) is released. */
export function requireReleased<T extends RunSeal>(found: T | undefined, absent: FaultCode): T {
  if (found === undefined) throw refusal(absent);
  if (isRunReleased(found)) return found;
  const { raceStatus: status, raceReleasedAt } = found;
  throw sealed({ status, releasedAtMs: raceReleasedAt?.getTime() ?? null });
}

/** Says until when, where that is settled: with the end of the race, which anybody can see. */
export function sealed(race: {
  readonly status: string | null;
  readonly releasedAtMs: number | null;
}): Fault {
  if (race.status === 'RACE_CANCELLED') {
    return refusal('RACE_IN_FLIGHT', {
      says: 'This is of a race that was cancelled.',
      next: 'Do not wait for it: nothing of such a race is released.',
    });
  }
  if (race.releasedAtMs === null) return refusal('RACE_IN_FLIGHT');
  const releasedAt = formatInstant(race.releasedAtMs);
  return refusal('RACE_IN_FLIGHT', { next: `Ask again at ${releasedAt}.` });
}
