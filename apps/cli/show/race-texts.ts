import type { Race } from '../client/schemas.generated.ts';
import { counted } from './plain-text.ts';
import { wordsOf } from './reasons.ts';

/** What the end of a race made of the top, and by how much; null before the end. */
export function topText(race: Race): string | null {
  const { challenged_score: challenged, margin, winner_score: score } = race;
  const isPromoted = race.promoted_agent_version_id !== null;
  if (score === null || !(isPromoted || challenged !== null)) return null;
  if (challenged === null || margin === null) return 'the winner, as nobody reigned';
  const bar = `the ${challenged.toFixed(4)} + ${margin.toFixed(4)} margin`;
  if (isPromoted) return `the winner, whose ${score.toFixed(4)} reached ${bar}`;
  // As a rule the winner is then the top itself, which challenges nobody.
  const who = score === challenged ? 'nobody reached' : `${score.toFixed(4)} did not reach`;
  return `unchanged, as ${who} ${bar}`;
}

/** The rules that a race was run by; null before its end. */
export function rulesText({ policy }: Race): string | null {
  if (policy === null) return null;
  return [
    `${counted(policy.required_successes_race, 'run')} each, of up to ${counted(policy.race_tasks, 'task')}`,
    `Overall over ${counted(policy.score_window_races, 'race')}`,
    `the worst ${percentText(policy.elimination_share)} go`,
    `${percentText(policy.emission_baseline_burn_rate)} is burned`,
  ].join('; ');
}

/** Rounded where the share is, in ten thousandths of a percent: 0.07 × 100 is no 7. */
function percentText(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`;
}

/** `AGENT_FAULT` as words. */
export function unfinishedText(reason: string | null): string | null {
  return reason === null ? null : wordsOf(reason);
}
