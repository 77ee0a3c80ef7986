import type { Desk } from '../desk.ts';

const barWidth = 24;

/** A line on the terminal that grows as a file goes; nothing where no person looks. */
export function transferProgress({ err }: Desk, what: string) {
  let isShown = false;
  return {
    onPiece: err.isLive
      ? (sentBytes: number, totalBytes: number) => {
          isShown = true;
          const share = totalBytes === 0 ? 1 : sentBytes / totalBytes;
          const full = Math.round(share * barWidth);
          const bar = `${'█'.repeat(full)}${'░'.repeat(barWidth - full)}`;
          err.redraw([`${what}  ${bar} ${Math.floor(share * 100)} %  ${sizeText(sentBytes)}`]);
        }
      : undefined,
    /** Leaves the last line as it is. */
    end: () => {
      if (isShown) err.settle();
    },
  };
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [1000, 'kB'] : [1_000_000, 'MB'];
  return `${(bytes / size).toFixed(1)} ${unit}`;
}
