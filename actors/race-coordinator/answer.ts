import type { Fault } from '../../machines/fault.ts';
import { raceStatuses } from '../../machines/race/decide.ts';
import type { RaceState } from '../../machines/race/machine.ts';
import type { Reply } from '../runtime/partition-actor.ts';

export const done: Reply = { kind: 'ok', body: {} };

export function refused(fault: Fault): Reply {
  const { code, message: detail, extras } = fault;
  return { kind: 'fault', code, detail, extras };
}

/** What an operator's order answers. */
export function standsAt({ value, context }: RaceState): Reply {
  return { kind: 'ok', body: { raceId: context.raceId, status: raceStatuses[value] } };
}
