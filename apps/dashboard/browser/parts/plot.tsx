import type { ComponentChildren } from 'preact';

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly label?: string;
}

interface Frame {
  readonly title: string;
  readonly xTicks: readonly { readonly at: number; readonly text: string }[];
  readonly yTicks: readonly { readonly at: number; readonly text: string }[];
  readonly xRange: readonly [number, number];
  readonly yRange: readonly [number, number];
}

const width = 640;
const height = 240;
const edge = { left: 56, right: 16, top: 12, bottom: 30 };

export interface Scales {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly bottom: number;
}

/** Axes around whatever is drawn; who cannot see it has the table that stands beside each plot. */
export function Plot({
  frame,
  children,
  table,
}: {
  readonly frame: Frame;
  readonly children: (scales: Scales) => ComponentChildren;
  readonly table: ComponentChildren;
}) {
  const scales = scalesOf(frame);
  return (
    <figure class="plot">
      <figcaption>{frame.title}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={frame.title}>
        {frame.yTicks.map(({ at, text }) => (
          <g key={text} class="tick">
            <line x1={edge.left} x2={width - edge.right} y1={scales.y(at)} y2={scales.y(at)} />
            <text x={edge.left - 8} y={scales.y(at) + 4} text-anchor="end">
              {text}
            </text>
          </g>
        ))}
        {frame.xTicks.map(({ at, text }) => (
          <text key={`${at}`} class="tick" x={scales.x(at)} y={height - 8} text-anchor="middle">
            {text}
          </text>
        ))}
        {children(scales)}
      </svg>
      <details>
        <summary>The same as a table</summary>
        {table}
      </details>
    </figure>
  );
}

function scalesOf({ xRange, yRange }: Frame): Scales {
  const spanX = xRange[1] - xRange[0] || 1;
  const spanY = yRange[1] - yRange[0] || 1;
  const innerWidth = width - edge.left - edge.right;
  const innerHeight = height - edge.top - edge.bottom;
  return {
    x: (value) => edge.left + ((value - xRange[0]) / spanX) * innerWidth,
    y: (value) => edge.top + (1 - (value - yRange[0]) / spanY) * innerHeight,
    bottom: height - edge.bottom,
  };
}

export function pathOf(points: readonly Point[], { x, y }: Scales): string {
  return points.map((point, at) => `${at === 0 ? 'M' : 'L'}${x(point.x)} ${y(point.y)}`).join('');
}
