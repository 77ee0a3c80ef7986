import { weightVector } from '../../../machines/emission/standings.ts';
import { type Terminal, table } from '../terminal.ts';
import { barChart } from './bar-chart.ts';
import type { QualifierAnswer, RaceDetails, StandingsAnswer } from './race-answers.ts';

/** Miners by the names of the story. */
export type Names = ReadonlyMap<string, string>;

const chartWidth = 40;

export function sayField(
  terminal: Terminal,
  { race, qualifiers }: RaceDetails,
  names: Names,
): void {
  const head = ['agent', 'miner', 'enters as', 'qualifying score'];
  const rows = qualifiers.map((entrant) => [
    agentOf(entrant),
    nameOf(names, entrant.miner_hotkey),
    entrant.qualification_type,
    fixed(entrant.qualifying_score),
  ]);
  sayTable(terminal, `The field of race ${race.race_number}, ${rows.length} entrants`, [
    head,
    ...rows,
  ]);
}

export function sayResult(
  terminal: Terminal,
  { race, qualifiers }: RaceDetails,
  names: Names,
): void {
  const head = ['#', 'agent', 'miner', 'race score', 'Overall', 'window (− seeds)', 'then'];
  const rows = qualifiers
    .toSorted((a, b) => (a.race_rank ?? unranked) - (b.race_rank ?? unranked))
    .map((entrant) => [
      String(entrant.race_rank ?? '-'),
      agentOf(entrant),
      nameOf(names, entrant.miner_hotkey),
      fixed(entrant.race_score),
      fixed(entrant.weighted_score),
      windowOf(entrant),
      entrant.eliminated_at === null ? 'survives' : 'eliminated',
    ]);
  sayTable(terminal, `The result of race ${race.race_number}`, [head, ...rows]);
  terminal.line(
    `  better half: mean ${fixed(race.top50_mean)}, deviation ${fixed(race.top50_std)}`,
  );
}

/** The split as a validator computes it from the standings, and the vector that it puts on chain. */
export function sayStandings(terminal: Terminal, answer: StandingsAnswer, names: Names): void {
  const standings = answer.epoch_standings;
  if (standings === null) return;
  const weights = weightVector(standings);
  const total = weights.reduce((sum, { weight }) => sum + weight, 0n);
  const label = (hotkey: string | null) =>
    hotkey === null
      ? 'burn'
      : `${hotkey === standings.top_hotkey ? 'top ' : 'tail'} ${nameOf(names, hotkey)}`;
  const bars = weights.map(({ hotkey, weight }) => ({
    label: label(hotkey),
    share: Number((weight * shareUnits) / (total === 0n ? 1n : total)) / Number(shareUnits),
  }));
  terminal.line();
  terminal.line(terminal.style('bold', 'Emissions'));
  for (const line of barChart(bars, chartWidth)) terminal.line(`  ${line}`);
  const vector = weights
    .map(({ hotkey, weight }) => `${label(hotkey).trim()} ${weight}`)
    .join(', ');
  terminal.line(`  on chain for epoch ${answer.epoch_index}: ${vector}`);
}

const shareUnits = 10n ** 9n;
const unranked = Number.MAX_SAFE_INTEGER;

export function nameOf(names: Names, hotkey: string): string {
  return names.get(hotkey) ?? `${hotkey.slice(0, 8)}…`;
}

export function agentOf({ agent_name: name, version_number: version }: QualifierAnswer): string {
  return `${name} v${version}`;
}

export function fixed(score: number | null): string {
  return score === null ? 'sealed' : score.toFixed(4);
}

function windowOf({ window }: QualifierAnswer): string {
  if (window === null) return '-';
  return window
    .map(({ delta, is_seed: isSeed }) =>
      isSeed ? '·' : `${delta < 0 ? '−' : '+'}${Math.abs(delta).toFixed(4)}`,
    )
    .join(' ');
}

function sayTable(terminal: Terminal, title: string, rows: readonly (readonly string[])[]): void {
  const [head = '', ...lines] = table(rows);
  terminal.line();
  terminal.line(terminal.style('bold', title));
  terminal.line(`  ${terminal.style('dim', head)}`);
  for (const line of lines) terminal.line(`  ${line}`);
}
