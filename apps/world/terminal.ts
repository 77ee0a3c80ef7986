import { styleText } from 'node:util';

export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** Lines for a person; styled only where a person looks. */
export interface Terminal {
  line(text?: string): void;
  style(style: Style, text: string): string;
}

export interface TerminalOptions {
  readonly stream: { write(text: string): unknown };
  readonly isStyled: boolean;
}

export function terminal({ stream, isStyled }: TerminalOptions): Terminal {
  return {
    line: (text = '') => void stream.write(`${text}\n`),
    style: (style, text) => (isStyled ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** A table without lines: columns as wide as their widest cell, two spaces apart. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
