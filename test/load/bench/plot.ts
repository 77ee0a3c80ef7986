/** A drawing of the report. */
export type Plot = LinePlot | BarPlot;

export interface Axis {
  readonly label: string;
  readonly isLog?: boolean;
}

export interface LinePlot {
  readonly kind: 'lines';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly (readonly [x: number, y: number])[];
  }[];
}

export interface BarPlot {
  readonly kind: 'bars';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Each from the last one's end to `to`. */
  readonly bars: readonly { readonly to: number; readonly count: number }[];
}

const size = { width: 640, height: 320 };
const margin = { left: 70, right: 150, top: 36, bottom: 46 };
const inner = {
  width: size.width - margin.left - margin.right,
  height: size.height - margin.top - margin.bottom,
};
const colours = ['#0b6e99', '#d9480f', '#2b8a3e', '#862e9c', '#5c940d', '#495057'];
const tickCount = 5;

/** One picture that needs nothing from elsewhere. */
export function svgOf(plot: Plot): string {
  const { xs, ys } = extentOf(plot);
  const x = scale(plot.x, xs, { from: margin.left, to: margin.left + inner.width });
  const y = scale(plot.y, ys, { from: margin.top + inner.height, to: margin.top });
  const drawn = plot.kind === 'lines' ? lines(plot, x, y) : bars(plot, x, y);
  return [
    `<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escaped(plot.title)}">`,
    `<text class="title" x="${margin.left}" y="20">${escaped(plot.title)}</text>`,
    ...axes(plot, x, y),
    ...drawn,
    '</svg>',
  ].join('\n');
}

interface Scale {
  (value: number): number;
  readonly ticks: readonly number[];
}

interface Extent {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
}

function extentOf(plot: Plot): Extent {
  const points =
    plot.kind === 'lines'
      ? plot.lines.flatMap((line) => line.points)
      : plot.bars.map(({ to, count }) => [to, count] as const);
  const finite = points.filter((point) => point.every(Number.isFinite));
  return { xs: finite.map(([x]) => x), ys: finite.map(([, y]) => y) };
}

function scale(axis: Axis, values: readonly number[], range: { from: number; to: number }): Scale {
  const positive = axis.isLog === true ? values.filter((value) => value > 0) : values;
  const high = Math.max(...positive, axis.isLog === true ? 1e-3 : 0) || 1;
  const low = axis.isLog === true ? Math.min(...positive, high / 10) : Math.min(0, ...positive);
  const place = (value: number) => (axis.isLog === true ? Math.log(Math.max(value, low)) : value);
  const span = place(high) - place(low);
  const at = (value: number) =>
    range.from + ((place(value) - place(low)) / span) * (range.to - range.from);
  const share = Array.from({ length: tickCount }, (_, index) => index / (tickCount - 1));
  const ticks = share.map((part) => {
    const value = place(low) + part * span;
    return axis.isLog === true ? Math.exp(value) : value;
  });
  return Object.assign(at, { ticks });
}

function axes({ x: xAxis, y: yAxis }: Plot, x: Scale, y: Scale): string[] {
  const bottom = margin.top + inner.height;
  const middle = { x: margin.left + inner.width / 2, y: margin.top + inner.height / 2 };
  return [
    ...y.ticks.flatMap((tick) => [
      `<line class="grid" x1="${margin.left}" x2="${margin.left + inner.width}" y1="${round(y(tick))}" y2="${round(y(tick))}"/>`,
      `<text class="tick" text-anchor="end" x="${margin.left - 6}" y="${round(y(tick) + 4)}">${short(tick)}</text>`,
    ]),
    ...x.ticks.map(
      (tick) =>
        `<text class="tick" text-anchor="middle" x="${round(x(tick))}" y="${bottom + 16}">${short(tick)}</text>`,
    ),
    `<text class="label" text-anchor="middle" x="${middle.x}" y="${bottom + 36}">${escaped(xAxis.label)}</text>`,
    `<text class="label" text-anchor="middle" transform="rotate(-90 14 ${middle.y})" x="14" y="${middle.y}">${escaped(yAxis.label)}</text>`,
  ];
}

function lines(plot: LinePlot, x: Scale, y: Scale): string[] {
  return plot.lines.flatMap(({ name, points }, index) => {
    const colour = colours[index % colours.length];
    const places = points
      .filter((point) => point.every(Number.isFinite))
      .map(([px, py]) => `${round(x(px))},${round(y(py))}`);
    const dots = places.map((place) => {
      const [cx, cy] = place.split(',');
      return `<circle fill="${colour}" r="3" cx="${cx}" cy="${cy}"/>`;
    });
    const legendY = margin.top + 10 + index * 18;
    const legendX = margin.left + inner.width + 10;
    return [
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${places.join(' ')}"/>`,
      ...dots,
      `<text class="tick" fill="${colour}" x="${legendX}" y="${legendY}">${escaped(name)}</text>`,
    ];
  });
}

function bars(plot: BarPlot, x: Scale, y: Scale): string[] {
  const bottom = margin.top + inner.height;
  let from = margin.left;
  return plot.bars.map(({ to, count }) => {
    const end = x(to);
    const width = Math.max(1, end - from - 1);
    const bar = `<rect fill="${colours[0]}" x="${round(from)}" width="${round(width)}" y="${round(y(count))}" height="${round(bottom - y(count))}"/>`;
    from = end;
    return bar;
  });
}

function round(value: number): string {
  return value.toFixed(1);
}

/** Three figures. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return 'none';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  return String(Number(value.toPrecision(3)));
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
