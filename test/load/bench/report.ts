import type { Beside, Figure } from './block.ts';
import { type Floors, floorNames } from './floors.ts';
import { escaped, type Plot, short, svgOf } from './plot.ts';
import { isNoisy, type Measured } from './repeated.ts';

export interface BlockReport extends Measured {
  readonly name: string;
  readonly seconds: number;
  readonly figures: readonly Figure[];
  readonly plots: readonly Plot[];
  /** How often it was measured anew because the machine moved. */
  readonly repeats: number;
}

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  readonly postgres: string;
  readonly loadAverage: readonly number[];
  /** Cores that were used by anything but this run. */
  readonly othersCores: number;
  /** Core seconds that the host took from the machine. */
  readonly stolenSeconds: number;
}

export interface Report {
  readonly at: string;
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly seconds: number;
  readonly machine: Machine;
  readonly floors: { readonly before: Floors; readonly after: Floors };
  readonly blocks: readonly BlockReport[];
}

const heads = [
  'goal',
  'figure',
  'ours',
  'floor',
  'peer',
  'ratio',
  '95 %',
  'must',
  'aim',
  'reached',
];

/** What the row says, cell by cell. */
function cellsOf(figure: Figure): readonly string[] {
  const { goal, what, unit, ours, floor, peer, ratio, interval, tier } = figure;
  return [
    goal === null ? '' : String(goal),
    what,
    `${short(ours)} ${unit}`,
    besideOf(floor),
    besideOf(peer),
    ratio === undefined ? '' : `${short(ratio)}x`,
    interval === undefined ? '' : `${short(interval[0])} to ${short(interval[1])}`,
    boundOf(figure, figure.must),
    boundOf(figure, figure.aim),
    tier,
  ];
}

function besideOf(beside: Beside | undefined): string {
  return beside === undefined ? '' : `${short(beside.value)} (${beside.name})`;
}

function boundOf({ isHigherBetter }: Figure, bound: number | undefined): string {
  return bound === undefined ? '' : `${isHigherBetter ? '≥' : '≤'} ${short(bound)}`;
}

function noiseText(block: BlockReport): string {
  const { drift, repeats } = block;
  const steadiest = repeats === 0 ? '' : `, measured ${repeats + 1} times`;
  if (!isNoisy(block)) return steadiest;
  return `${steadiest}, noisy: the machine was ${drift.toFixed(2)} times as slow after it`;
}

/** One block, as it is shown when it ends. */
export function blockText(block: BlockReport): string {
  const head = `${block.name}, ${block.seconds.toFixed(0)} s${noiseText(block)}`;
  if (block.failure !== undefined) return `${head}\n  NO FIGURES: ${block.failure}`;
  const notes = block.figures.flatMap(({ what, note }) =>
    note === undefined ? [] : [`  ${what}: ${note}`],
  );
  return [head, tableText([heads, ...block.figures.map(cellsOf)]), ...notes].join('\n');
}

export function floorsText({ before, after }: Report['floors']): string {
  const names = Object.entries(floorNames) as [keyof Floors, string][];
  const rows = names.map(([key, name]) => [name, short(before[key]), short(after[key])]);
  return `floors\n${tableText([['', 'before', 'after'], ...rows])}`;
}

export function machineText({ machine, rounds, isQuick, seconds }: Report): string {
  const { processor, cores, memoryGib, node, postgres, loadAverage } = machine;
  return [
    `Node ${node}, PostgreSQL ${postgres}, ${cores} x ${processor}, ${memoryGib.toFixed(0)} GiB; all of it on this one machine`,
    `${isQuick ? 'quick, ' : ''}${rounds} rounds, ${seconds.toFixed(0)} s; others used ` +
      `${machine.othersCores.toFixed(2)} cores meanwhile, ${machine.stolenSeconds.toFixed(1)} core seconds ` +
      `were stolen, load average ${loadAverage.join(' ')}`,
  ].join('\n');
}

/** How many figures reached what, and what has none. */
export function verdictText({ blocks }: Report): string {
  const figures = blocks.flatMap((block) => block.figures);
  const of = (tier: Figure['tier']) => figures.filter((figure) => figure.tier === tier);
  const failed = blocks.filter(({ failure }) => failure !== undefined);
  return [
    `${of('goal').length} reach their goal, ${of('must').length} what they must, ${of('missed').length} miss it; ${of('told').length} have no bound.`,
    ...of('missed').map(
      ({ what, goal }) => `  missed: ${what}${goal === null ? '' : ` (goal ${goal})`}`,
    ),
    ...failed.map(({ name, failure }) => `  no figures: ${name}: ${failure}`),
  ].join('\n');
}

function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
    )
    .join('\n');
}

const style = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1200px; color: #212529 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .25rem .6rem;
border-bottom: 1px solid #dee2e6; font-variant-numeric: tabular-nums; vertical-align: top }
svg { width: 640px; max-width: 100% } .title { font-weight: 600 } .tick, .label { font-size: 11px }
.grid { stroke: #e9ecef } .goal { color: #2b8a3e } .missed { color: #c92a2a } .must { color: #0b6e99 }
.noisy { color: #e67700 } pre { white-space: pre-wrap }`;

/** The report as one page without anything from outside: no script, no font, no picture. */
export function pageOf(report: Report): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width"><title>Paddock: how fast it is</title>',
    `<style>${style}</style></head><body><h1>How fast it is</h1>`,
    `<p>${escaped(report.at)}</p><pre>${escaped(`${machineText(report)}\n${verdictText(report)}`)}</pre>`,
    ...report.blocks.map(section),
    `<h2>Floors</h2><pre>${escaped(floorsText(report.floors))}</pre></body></html>`,
  ].join('\n');
}

function section(block: BlockReport): string {
  const noise = noiseText(block).replace(/^, /, '');
  const noisy = noise === '' ? '' : `<p class="noisy">${noise}</p>`;
  const failure =
    block.failure === undefined
      ? ''
      : `<p class="missed">No figures: ${escaped(block.failure)}</p>`;
  const rows = block.figures.map((figure) => {
    const cells = cellsOf(figure).map((cell) => `<td>${escaped(cell)}</td>`);
    const note = figure.note === undefined ? '' : `<td>${escaped(figure.note)}</td>`;
    return `<tr class="${figure.tier}">${cells.join('')}${note}</tr>`;
  });
  const head = `<tr>${heads.map((each) => `<th>${each}</th>`).join('')}<th></th></tr>`;
  const table = rows.length === 0 ? '' : `<table>${head}${rows.join('\n')}</table>`;
  return `<h2>${escaped(block.name)}</h2>${noisy}${failure}${table}${block.plots.map(svgOf).join('\n')}`;
}
