import { Fault, type FaultCode } from '../../../machines/fault.ts';
import type { RunSeal } from '../reads/artifacts.ts';
import { isRunReleased } from '../wire/public-run.ts';

/** A run's artifact as it was found, once its race (if it has one) is released. */
export function requireReleased<T extends RunSeal>(found: T | undefined, absent: FaultCode): T {
  if (found === undefined) throw new Fault(absent, 'there is no such record');
  if (isRunReleased(found)) return found;
  throw new Fault('RACE_IN_FLIGHT', 'this artifact is withheld until its race is released');
}
