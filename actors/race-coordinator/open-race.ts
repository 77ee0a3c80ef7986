import { unborn } from '../../machines/kernel.ts';
import { decideOpening } from '../../machines/race/decide.ts';
import { race } from '../../machines/race/machine.ts';
import { racePolicy } from '../../machines/race/policy.ts';
import { effectivePolicy } from '../../machines/race/policy-overrides.ts';
import { beginningAfter } from '../../machines/suite/activation.ts';
import { nextClose } from '../../machines/time/pacific-noon.ts';
import { type Draft, instant } from './draft.ts';
import type { SuiteGround } from './grounds.ts';

/** Opens the next race of a suite that is active and has none. */
export function openNextRace(draft: Draft, suiteId: number): void {
  const suite = draft.grounds.suites.get(suiteId);
  if (suite?.isActive !== true) return;
  if (draft.unfinished().some(({ context }) => context.suiteId === suiteId)) return;
  openRace(draft, suite, nextNumber(draft, suite));
}

function openRace(draft: Draft, suite: SuiteGround, raceNumber: number): void {
  const { suiteId, policyBasis } = suite;
  const raceId = draft.derivedId(`race:${suiteId}:${raceNumber}`);
  const terms = effectivePolicy(draft.env.configured, policyBasis.value);
  const policy = racePolicy.parse(terms);
  const { policyVersion } = policyBasis.value;
  const openedAt = beginningAfter(suite.activatedAtMs, draft.nowMs);
  const closesAt = nextClose(openedAt, draft.env.close);
  const identity = { raceId, suiteId, raceNumber, policyVersion, policy, openedAt, closesAt };
  draft.record(raceId, suiteId, decideOpening(unborn(race), identity));
  draft.hold({
    race_id: null,
    suite_id: suiteId,
    suite_is_active: true,
    suite_activated_at_ms: suite.activatedAtMs ?? 0,
    policy_md5: policyBasis.md5,
  });
  draft.operation('race_opened', [
    {
      race_id: raceId,
      suite_id: suiteId,
      race_number: raceNumber,
      policy_version: policyVersion,
      policy,
      opened_at: instant(openedAt),
      qualifying_closes_at: instant(closesAt),
      close_time: draft.env.close.closeTime,
      close_zone: draft.env.close.timeZone,
      qualifying_threshold: terms.qualifyingThreshold,
      required_successes_qualifying: terms.requiredSuccessesQualifying,
      required_successes_race: terms.requiredSuccesses,
    },
  ]);
  draft.publish('race-opened', raceId, {
    ...{ raceId, suiteId, raceNumber },
    qualifyingClosesAt: closesAt,
  });
}

/** One more than the last that is known, also to this batch alone. */
function nextNumber(draft: Draft, { suiteId, lastRaceNumber }: SuiteGround): number {
  const ofSuite = draft.known().filter(({ context }) => context.suiteId === suiteId);
  return 1 + Math.max(lastRaceNumber, ...ofSuite.map(({ context }) => context.raceNumber));
}
