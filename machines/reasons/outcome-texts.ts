/**
 * What a race that is over says of itself, on the line and on its page. An edge of an older version leaves these
 * fields out, which is as if the race was not over.
 */
export interface ToldRace {
  readonly winner_score: number | null;
  readonly margin?: number | null;
  readonly challenged_score?: number | null;
  readonly promoted_agent_version_id?: string | null;
  readonly policy?: ToldPolicy | null;
}

interface ToldPolicy {
  readonly required_successes_race: number;
  readonly race_tasks: number;
  readonly score_window_races: number;
  readonly elimination_share: number;
  readonly emission_baseline_burn_rate: number;
}

/** What the end of a race made of the top, and by how much; null before the end. */
export function topText(race: ToldRace): string | null {
  const { challenged_score: challenged = null, margin = null, winner_score: score } = race;
  const isPromoted = (race.promoted_agent_version_id ?? null) !== null;
  if (score === null || !(isPromoted || challenged !== null)) return null;
  if (challenged === null || margin === null) return 'the winner, as nobody reigned';
  const bar = `the ${challenged.toFixed(4)} + ${margin.toFixed(4)} margin`;
  if (isPromoted) return `the winner, whose ${score.toFixed(4)} reached ${bar}`;
  // As a rule the winner is then the top itself, which challenges nobody.
  const who = score === challenged ? 'nobody reached' : `${score.toFixed(4)} did not reach`;
  return `unchanged, as ${who} ${bar}`;
}

/** The rules that a race was run by; null before its end. */
export function rulesText({ policy = null }: ToldRace): string | null {
  if (policy === null) return null;
  return [
    `${counted(policy.required_successes_race, 'run')} each, of up to ${counted(policy.race_tasks, 'task')}`,
    `Overall over ${counted(policy.score_window_races, 'race')}`,
    `the worst ${percentText(policy.elimination_share)} go`,
    `${percentText(policy.emission_baseline_burn_rate)} is burned`,
  ].join('; ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Rounded where the share is, in ten thousandths of a percent: 0.07 × 100 is no 7. */
function percentText(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`;
}
