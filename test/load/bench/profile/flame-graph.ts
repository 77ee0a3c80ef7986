import { escaped } from '../plot.ts';
import type { Frame } from './cpu-profile.ts';

const width = 1_600;
const rowHeight = 17;
/** Narrower frames are nothing to look at. */
const leastWidth = 0.6;
const letterWidth = 6.6;
const warm = ['#f6a355', '#f28e4b', '#ee7942', '#f7b267', '#f4845f', '#f9c784'];

const style = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem; color: #212529 }
svg { width: 100%; font: 11px ui-monospace, monospace } rect { stroke: #fff; stroke-width: .4 }
pre { font-size: 12px } g:hover > rect { stroke: #000 }`;

/**
 * Every function as wide as its share of the time, what it called above it; with the names under the
 * pointer. A page that needs nothing from elsewhere.
 */
export function flamePage(title: string, root: Frame, table: string): string {
  const parts: string[] = [];
  const scale = root.totalUs === 0 ? 0 : width / root.totalUs;
  const rows = depthOf(root, leastWidth / scale);
  const draw = (frame: Frame, fromUs: number, depth: number) => {
    const wide = frame.totalUs * scale;
    if (wide < leastWidth) return;
    if (depth > 0) parts.push(box(frame, { x: fromUs * scale, row: rows - depth, wide, root }));
    let atUs = fromUs;
    for (const child of frame.children) {
      draw(child, atUs, depth + 1);
      atUs += child.totalUs;
    }
  };
  draw(root, 0, 0);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<title>${escaped(title)}</title><style>${style}</style></head><body><h1>${escaped(title)}</h1>`,
    `<p>${(root.totalUs / 1e6).toFixed(2)} s of work; waiting is left out.</p>`,
    `<svg viewBox="0 0 ${width} ${rows * rowHeight}" role="img">${parts.join('\n')}</svg>`,
    `<pre>${escaped(table)}</pre></body></html>`,
  ].join('\n');
}

interface Place {
  readonly x: number;
  readonly row: number;
  readonly wide: number;
  readonly root: Frame;
}

function box({ name, where, totalUs, selfUs }: Frame, { x, row, wide, root }: Place): string {
  const share = (us: number) => `${((100 * us) / root.totalUs).toFixed(1)} %`;
  const told = `${name} ${where}: ${share(totalUs)}, itself ${share(selfUs)}`;
  const letters = Math.floor((wide - 4) / letterWidth);
  const y = row * rowHeight;
  const at = `x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${rowHeight}"`;
  const label =
    letters < 3
      ? ''
      : `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(name.slice(0, letters))}</text>`;
  return `<g><title>${escaped(told)}</title><rect ${at} fill="${colourOf(where)}"/>${label}</g>`;
}

/** One file, one colour. */
function colourOf(where: string): string {
  const file = where.replace(/:\d+$/, '');
  const sum = [...file].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 9_973, 7);
  return warm[sum % warm.length] ?? '#f6a355';
}

/** Of what is wide enough to be drawn. */
function depthOf({ children }: Frame, leastUs: number): number {
  return children
    .filter(({ totalUs }) => totalUs >= leastUs)
    .reduce((most, child) => Math.max(most, 1 + depthOf(child, leastUs)), 0);
}
