import type { Entrant, Fallback, FieldCandidate, QualificationType } from './field.ts';
import { type PinDisabledReason, pinDisabledReason } from './pinnable.ts';

export interface FieldRules {
  readonly suiteId: number;
  /** Four decimal places as text. */
  readonly qualifyingThreshold: string;
}

export interface Field {
  /** By hotkey, like the fallbacks. */
  readonly entrants: readonly Entrant[];
  readonly fallbacks: readonly Fallback[];
}

/**
 * Who races: one version of each hotkey, the same whatever the order of the candidates. A pin comes
 * first; where it cannot be honoured it says why, and the hotkey is treated as if it had none.
 */
export function selectField(candidates: readonly FieldCandidate[], rules: FieldRules): Field {
  const admitted = candidates.filter(({ isMinerBanned }) => !isMinerBanned);
  const hotkeys = [...Map.groupBy(admitted, ({ minerHotkey }) => minerHotkey)].sort(
    ([left], [right]) => (left < right ? -1 : 1),
  );
  return {
    entrants: hotkeys.flatMap(([, versions]) => entrantOf(versions, rules)),
    fallbacks: hotkeys.flatMap(([, versions]) => fallbackOf(versions, rules)),
  };
}

function entrantOf(versions: readonly FieldCandidate[], rules: FieldRules): Entrant[] {
  const able = versions.filter((version) => barOf(version, rules) === null);
  const chosen = able.find(({ isPinned }) => isPinned) ?? able.sort(byClaim)[0];
  if (chosen === undefined) return [];
  const { agentVersionId, minerHotkey, qualifyingScore } = chosen;
  const qualificationType = qualificationOf(chosen);
  return [{ agentVersionId, minerHotkey, qualificationType, qualifyingScore }];
}

function fallbackOf(versions: readonly FieldCandidate[], rules: FieldRules): Fallback[] {
  return versions
    .filter(({ isPinned }) => isPinned)
    .flatMap((pinned) => {
      const { agentVersionId, minerHotkey } = pinned;
      const reason = barOf(pinned, rules);
      return reason === null ? [] : [{ agentVersionId, minerHotkey, reason }];
    });
}

/** Why a version cannot race, null where it can. Survivors and the top need no threshold. */
function barOf(version: FieldCandidate, rules: FieldRules): PinDisabledReason | null {
  const { qualifyingThreshold } = rules;
  return pinDisabledReason({
    state: version.state,
    isSuiteActive: version.suiteId === rules.suiteId,
    isEliminated: version.isEliminated,
    qualifyingScore: isIncumbent(version) ? qualifyingThreshold : version.qualifyingScore,
    qualifyingThreshold,
  });
}

/**
 * The better score first; an incumbent yields only to a strictly better one. Then the newer version,
 * then the smaller id. Texts of scores have equal length and compare as numbers do.
 */
function byClaim(left: FieldCandidate, right: FieldCandidate): number {
  const leftScore = left.qualifyingScore ?? '';
  const rightScore = right.qualifyingScore ?? '';
  if (leftScore !== rightScore) return leftScore > rightScore ? -1 : 1;
  if (isIncumbent(left) !== isIncumbent(right)) return isIncumbent(left) ? -1 : 1;
  if (left.submittedAt !== right.submittedAt) return right.submittedAt - left.submittedAt;
  return left.agentVersionId < right.agentVersionId ? -1 : 1;
}

function isIncumbent({ isSurvivor, isTop }: FieldCandidate): boolean {
  return isSurvivor || isTop;
}

function qualificationOf({ isPinned, isTop, isSurvivor }: FieldCandidate): QualificationType {
  if (isPinned) return 'PINNED';
  if (isTop) return 'INCUMBENT_TOP';
  return isSurvivor ? 'SURVIVOR' : 'QUALIFIED';
}
