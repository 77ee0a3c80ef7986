import { scoreText } from '../format.ts';

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Of all values that share an axis, with a little room at both ends. */
export function rangeOf(values: readonly (number | null)[]): Range {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { low: 0, high: 1 };
  const low = Math.min(...known);
  const high = Math.max(...known);
  const room = Math.max((high - low) * 0.05, 0.005);
  return { low: low - room, high: high + room };
}

const width = 160;
const height = 18;

/** A score as a point on its 95 % interval; the numbers stand beside it as text. */
export function Interval({
  score,
  low,
  high,
  range,
}: {
  readonly score: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly range: Range;
}) {
  if (score === null) return <span class="muted">–</span>;
  const x = (value: number) => 4 + ((value - range.low) / (range.high - range.low)) * (width - 8);
  const spread =
    low === null || high === null ? 'no interval' : `${scoreText(low)} to ${scoreText(high)}`;
  return (
    <svg
      class="interval"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`95 % interval: ${spread}`}
    >
      <line class="axis" x1={4} x2={width - 4} y1={height / 2} y2={height / 2} />
      {low !== null && high !== null && (
        <g class="whisker">
          <line x1={x(low)} x2={x(high)} y1={height / 2} y2={height / 2} />
          <line x1={x(low)} x2={x(low)} y1={4} y2={height - 4} />
          <line x1={x(high)} x2={x(high)} y1={4} y2={height - 4} />
        </g>
      )}
      <circle cx={x(score)} cy={height / 2} r={4} />
    </svg>
  );
}
