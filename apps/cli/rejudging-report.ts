import { explained } from '../../machines/reasons/explained.ts';
import { type Terminal, table } from '../world/terminal.ts';
import type { Rejudging } from './client/schemas.generated.ts';
import { counted, plainText, shortened } from './show/plain-text.ts';

interface Both<T> {
  readonly before: T;
  readonly after: T;
}

type Item = Rejudging['items'][number];
type RaceOf = Rejudging['difference']['races'][number];
type PayoutOf = RaceOf['burn'];

const unitsOfRace = 1e18;

/** A rejudging for people: its runs, and what applying it would change of scores, ranks and payouts. */
export function rejudgingLines(rejudging: Rejudging, terminal: Terminal): string[] {
  const { rejudging_id: id, status, runs, end_reason: endReason, items, difference } = rejudging;
  const { bold, cyan } = {
    bold: (text: string) => terminal.style('bold', text),
    cyan: (text: string) => terminal.style('cyan', text),
  };
  const { versions, shifted_count: shifted, races } = difference;
  return [
    `${bold('Rejudging')} ${id}  ${cyan(status)}`,
    `${counted(runs.selected, 'run')} selected, ${runs.evaluated} judged, ${runs.failed} came to nothing, ${runs.applied} applied`,
    ...(endReason === null ? [] : [`it ended: ${plainText(endReason)}`]),
    '',
    ...headed(terminal, [runHead, ...items.map(runRow)]),
    '',
    bold('Qualifying scores and ranks'),
    ...(versions.length === 0
      ? ['nothing changes']
      : headed(terminal, [versionHead, ...versions.map(versionRow)])),
    ...(shifted === 0 ? [] : [`${counted(shifted, 'other version')} would have another rank`]),
    ...races.flatMap((race) => [
      '',
      `${bold(`Race ${race.race_number}`)}, whose result and payout stand: what it would have come to`,
      ...headed(terminal, [raceHead, ...race.entrants.map(entrantRow), burnRow(race)]),
      `winner ${changed(race.winner_agent_version_id, idText)}, top ${changed(race.top_agent_version_id, idText)}`,
    ]),
    ...nextLines(rejudging),
  ];
}

const runHead = ['RUN', 'AGENT', 'VALIDATOR', 'STATE', 'SCORE WAS', 'WOULD BE', 'WHY NOT'];

function runRow(item: Item): string[] {
  return [
    item.eval_run_id,
    plainText(item.agent_name),
    shortened(item.validator_hotkey),
    item.status,
    item.validator_score.toFixed(4),
    scoreText(item.new_run?.validator_score ?? null),
    obstacleOf(item),
  ];
}

function obstacleOf({ reason, waiting }: Item): string {
  if (reason !== null) return plainText(explained('items.reason', reason));
  if (waiting === null) return '–';
  return waiting.hold_reason === null
    ? `${counted(waiting.able_validators, 'validator')} may take it`
    : plainText(explained('hold_reason', waiting.hold_reason));
}

const versionHead = ['VERSION', 'SCORE', 'RANK'];

function versionRow(version: Rejudging['difference']['versions'][number]): string[] {
  return [
    version.agent_version_id,
    changed(version.qualifying_score, scoreText),
    changed(version.qualifying_rank, rankText),
  ];
}

const raceHead = [
  ...['VERSION', 'RACE SCORE', 'OVERALL', 'RANK', 'ELIMINATED'],
  ...['PAYOUT', 'TAO A DAY', 'USD A DAY'],
];

function entrantRow(entrant: RaceOf['entrants'][number]): string[] {
  return [
    entrant.agent_version_id,
    changed(entrant.race_score, scoreText),
    changed(entrant.weighted_score, scoreText),
    changed(entrant.race_rank, rankText),
    changed(entrant.is_eliminated, (isOut) => (isOut ? 'yes' : 'no')),
    ...payoutCells(entrant.payout),
  ];
}

function burnRow({ burn }: RaceOf): string[] {
  return ['burned', '', '', '', '', ...payoutCells(burn)];
}

/** A share of what the race paid, and coins as far as their price is configured. */
function payoutCells(payout: PayoutOf): string[] {
  return [
    changed(payout, ({ units }) => `${((Number(units) / unitsOfRace) * 100).toFixed(2)} %`),
    changed(payout, ({ tao_per_day: tao }) => tao?.toFixed(4) ?? '–'),
    changed(payout, ({ usd_per_day: usd }) => usd?.toFixed(2) ?? '–'),
  ];
}

function nextLines({ status, rejudging_id: id }: Rejudging): string[] {
  if (status !== 'OPEN' && status !== 'READY') return [];
  const drop = `paddock operator cancel-rejudging ${id} --reason TEXT`;
  const apply = `paddock operator apply-rejudging ${id}`;
  return ['', status === 'READY' ? `Next: "${apply}", or "${drop}".` : `To drop it: "${drop}".`];
}

function headed(terminal: Terminal, rows: readonly (readonly string[])[]): string[] {
  const [first = '', ...rest] = table(rows);
  return [terminal.style('dim', first), ...rest];
}

function scoreText(score: number | null): string {
  return score === null ? '–' : score.toFixed(4);
}

function rankText(rank: number | null): string {
  return rank === null ? '–' : String(rank);
}

function idText(id: string | null): string {
  return id ?? 'nobody';
}

function changed<T>({ before, after }: Both<T>, told: (value: T) => string): string {
  const [was, becomes] = [told(before), told(after)];
  return was === becomes ? was : `${was} → ${becomes}`;
}
