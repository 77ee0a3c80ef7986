import type { Terminal } from '../../world/terminal.ts';
import type { Violation } from '../client/schemas.generated.ts';
import { plainText } from './plain-text.ts';

/** The lines as a finding counts them: CR alone ends one as well, and a byte order mark is in none. */
export function linesOfFile(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
}

/** Letters that take two columns of a terminal. */
const wide =
  /[\p{Extended_Pictographic}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const tabWidth = 4;

/**
 * A finding as compilers show it:
 *
 *     error[dunder-access]: what is wrong, and what to do instead
 *       --> agent.py:12:5
 *        |
 *     12 |     x.__class__
 *        |     ^
 */
export function findingLines(
  file: { readonly name: string; readonly lines: readonly string[] },
  found: Violation,
  terminal: Terminal,
): string[] {
  const { rule, category, severity, message, line, column, snippet } = found;
  const colour = severity === 'error' ? 'red' : 'yellow';
  const head = terminal.style(colour, `${severity}[${plainText(rule)}]`);
  return [
    `${head}: ${terminal.style('bold', plainText(message))} (${plainText(category)})`,
    ...placeLines({ ...file, line, column, text: file.lines[line - 1] ?? snippet }, terminal),
  ];
}

export interface MarkedPlace {
  readonly name: string;
  /** Both from 1; without a column the whole line is meant. */
  readonly line: number;
  readonly column?: number;
  readonly text: string;
}

/** Where it is, the line itself, and a caret below the column. */
export function placeLines({ name, line, column, text }: MarkedPlace, terminal: Terminal) {
  const margin = ' '.repeat(String(line).length);
  const blue = (part: string) => terminal.style('cyan', part);
  const { shown, caret } = pointed(text, column);
  return [
    `${blue(`${margin}-->`)} ${name}:${line}${column === undefined ? '' : `:${column}`}`,
    `${margin} ${blue('|')}`,
    `${blue(String(line))} ${blue('|')} ${shown}`,
    ...(caret === undefined ? [] : [`${margin} ${blue('|')} ${terminal.style('red', caret)}`]),
  ];
}

/** Of a line that is longer than this, the part around the column is shown. */
const shownMax = 100;

function pointed(text: string, column: number | undefined) {
  const letters = [...text.replace(/[\r\n]+$/, '')];
  const from = column === undefined || column <= shownMax ? 0 : column - 1 - shownMax / 2;
  const part = letters.slice(from, from + shownMax);
  const cells = part.map((letter) => (letter === '\t' ? ' '.repeat(tabWidth) : plainText(letter)));
  const [head, tail] = [from > 0 ? '…' : '', from + shownMax < letters.length ? '…' : ''];
  const shown = `${head}${cells.join('')}${tail}`;
  if (column === undefined || column > letters.length + 1) return { shown };
  const before = `${head}${cells.slice(0, column - 1 - from).join('')}`;
  const width = [...before].reduce((sum, letter) => sum + (wide.test(letter) ? 2 : 1), 0);
  return { shown, caret: `${' '.repeat(width)}^` };
}
