import { codeWords } from '../../machines/reasons/code-words.ts';
import { explained } from '../../machines/reasons/explained.ts';
import { rulesText, topText } from '../../machines/reasons/outcome-texts.ts';
import { type Terminal, table } from '../world/terminal.ts';
import type { Qualifier, Race, RaceDetails } from './client/schemas.generated.ts';
import { fromNow, whenText } from './show/moments.ts';
import { counted, plainText, shortened } from './show/plain-text.ts';
import { legendLines } from './show/reasons.ts';

const score = (value: number | null) => (value === null ? '–' : value.toFixed(4));

/** A race for people: how far it is, then its field in order. */
export function raceLines({ race, qualifiers }: RaceDetails, nowMs: number, terminal: Terminal) {
  if (race === null) return ['There is no race: none is opened before a suite is active.'];
  const head = `${terminal.style('bold', `Race ${race.race_number}`)} of suite ${race.suite_id}  ${terminal.style('cyan', race.status)}  ${race.race_id}`;
  return [head, ...table(standOf(race, nowMs)), '', ...fieldLines(qualifiers, terminal)];
}

function standOf(race: Race, nowMs: number): string[][] {
  const { status, scored_count: scored, qualifier_count: field } = race;
  const rows: readonly (readonly [string, string | null])[] = [
    closingRow(race, nowMs),
    ['started', race.race_started_at && whenText(race.race_started_at, nowMs)],
    ['completed', race.race_completed_at && whenText(race.race_completed_at, nowMs)],
    ['cancelled', cancelledText(race, nowMs)],
    ['threshold', String(race.qualifying_threshold)],
    [
      'field',
      status === 'QUALIFYING_OPEN'
        ? `${counted(field, 'version')}, if it closed now`
        : counted(field, 'version'),
    ],
    ['evaluated', status === 'RACE_RUNNING' ? progressText(race, nowMs) : null],
    ['scores', status === 'RACE_RUNNING' ? 'sealed until all of the field is evaluated' : null],
    [
      'anchor',
      race.top50_mean === null ? null : `${score(race.top50_mean)} ± ${score(race.top50_std)}`,
    ],
    [
      'winner',
      race.winner_agent_version_id === null
        ? null
        : `${plainText(race.winner_agent_name ?? '')} with Overall ${score(race.winner_score)}`,
    ],
    ['top', topText(race)],
    ['rules', rulesText(race)],
    [
      'all told',
      scored > 0 && status === 'RACE_COMPLETE' ? `${scored} of ${field} were scored` : null,
    ],
  ];
  return rows.flatMap(([name, text]) => (text === null ? [] : [[name, text]]));
}

/** Null as well where an edge of an older version does not say so. */
function cancelledText(
  { race_cancelled_at: at, cancel_reason: reason }: Race,
  nowMs: number,
): string | null {
  if (at === null || at === undefined) return null;
  const when = whenText(at, nowMs);
  return reason === null ? when : `${when}: ${plainText(explained('cancel_reason', reason))}`;
}

/** Operators may close it sooner than it was planned; when they did is not told. */
function closingRow(
  { status, qualifying_closes_at: at, race_started_at: startedAt }: Race,
  nowMs: number,
): readonly [string, string] {
  if (status === 'QUALIFYING_OPEN') return ['closes', whenText(at, nowMs)];
  // No race starts before it closed.
  const isEarly = startedAt !== null && Date.parse(startedAt) < Date.parse(at);
  const latest = isEarly ? startedAt : at;
  const isOrdered = isEarly || Date.parse(at) > nowMs;
  const when = whenText(latest, nowMs);
  return ['closed', isOrdered ? `by an operator, before ${when}` : when];
}

const barWidth = 24;

function progressText(race: Race, nowMs: number): string {
  const { scored_count: scored, qualifier_count: field, projected_completion_at: at } = race;
  const full = field === 0 ? 0 : Math.round((scored / field) * barWidth);
  const bar = `${'█'.repeat(full)}${'░'.repeat(barWidth - full)}`;
  const end = at === null ? 'no end can be told yet' : `expected to end ${fromNow(at, nowMs)}`;
  return `${bar} ${scored} of ${field}, ${end}`;
}

function fieldLines(qualifiers: readonly Qualifier[], terminal: Terminal): string[] {
  if (qualifiers.length === 0) return ['Nobody is in the field.'];
  const head = [
    'RANK',
    'AGENT',
    'VERSION',
    'MINER',
    'IS IN AS',
    'QUALIFYING',
    'RACE',
    'OVERALL',
    'OUT',
    'ID',
  ];
  const rows = qualifiers.map((each) => [
    each.race_rank === null ? '–' : String(each.race_rank),
    shortened(each.agent_name, 24),
    String(each.version_number),
    shortened(each.miner_hotkey),
    codeWords(each.qualification_type),
    score(each.qualifying_score),
    score(each.race_score),
    score(each.weighted_score),
    whyOut(each),
    each.agent_version_id,
  ]);
  const [first = '', ...rest] = table([head, ...rows]);
  const legend = legendLines(qualifiers, codeWords);
  return [terminal.style('dim', first), ...rest, ...(legend.length > 0 ? ['', ...legend] : [])];
}

function whyOut(qualifier: Qualifier): string {
  const { is_discarded: isDiscarded, eliminated_at: at } = qualifier;
  if (isDiscarded) return 'discarded';
  // An edge of an older version leaves it out.
  const reason = qualifier.unfinished_reason ?? null;
  const why = reason === null ? '' : `: ${codeWords(reason)}`;
  if (at !== null) return `eliminated${why}`;
  return reason === null ? '' : `no score${why}`;
}
