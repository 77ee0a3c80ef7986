import { type Terminal, type TerminalOptions, terminal } from '../../world/terminal.ts';

/** A terminal of which the last lines may be drawn anew. */
export interface Screen extends Terminal {
  /** A person sees it as it comes, and it may be drawn anew. */
  readonly isLive: boolean;
  /** Puts these lines where the last drawn ones were; plainly below each other where nobody looks. */
  redraw(lines: readonly string[]): void;
  /** What was drawn stays. */
  settle(): void;
}

export interface ScreenOptions extends TerminalOptions {
  /** Its cursor can be moved. */
  readonly isLive: boolean;
  /** Of one line; longer ones would wrap and spoil the count. */
  readonly columns: () => number;
  /** More lines than these cannot be drawn over. */
  readonly rows: () => number;
}

export function screen(options: ScreenOptions): Screen {
  const { stream, isLive, columns, rows } = options;
  const plain = terminal(options);
  let drawn = 0;
  return {
    ...plain,
    isLive,
    redraw: (lines) => {
      if (!isLive)
        return lines.forEach((line) => {
          plain.line(line);
        });
      const up = drawn === 0 ? '' : `\u001b[${drawn}A`;
      const fitting = fittingLines(lines, rows() - 1);
      const body = fitting.map((line) => `\u001b[2K${cut(line, columns())}\n`).join('');
      stream.write(`${up}\r${body}\u001b[0J`);
      drawn = fitting.length;
    },
    settle: () => {
      drawn = 0;
    },
  };
}

function fittingLines(lines: readonly string[], count: number): readonly string[] {
  if (lines.length <= count) return lines;
  const shown = Math.max(1, count - 1);
  return [...lines.slice(0, shown), `… and ${lines.length - shown} lines more`];
}

/** Styles take no room, and are closed again behind the cut. */
function cut(line: string, width: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with an escape.
  const parts = line.split(/(\u001b\[[0-9;]*m)/);
  let room = width;
  const kept = parts.map((part, index) => {
    if (index % 2 === 1) return part;
    const text = [...part].slice(0, room).join('');
    room -= [...text].length;
    return text;
  });
  return kept.join('');
}
