export interface Bar {
  readonly label: string;
  /** In [0, 1] of the whole. */
  readonly share: number;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** One line per bar, the longest `width` cells wide, with its share in percent. */
export function barChart(bars: readonly Bar[], width: number): readonly string[] {
  const largest = Math.max(...bars.map(({ share }) => share), Number.MIN_VALUE);
  const labelWidth = Math.max(...bars.map(({ label }) => label.length));
  return bars.map(({ label, share }) => {
    const cells = Math.round((share / largest) * width * eighths.length);
    const bar = '█'.repeat(Math.floor(cells / eighths.length)) + eighths[cells % eighths.length];
    // A share that is paid is seen.
    const drawn = share > 0 && bar === '' ? '▏' : bar;
    return `${label.padEnd(labelWidth)}  ${drawn.padEnd(width)}  ${percent(share)}`;
  });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)} %`;
}
