import { type Terminal, table } from '../../world/terminal.ts';
import { plainText } from './plain-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Any answer of the service for people: lists of objects as tables, the rest as names and values. */
export function valueLines(value: unknown, terminal: Terminal): string[] {
  if (isTable(value)) return tableLines(value, terminal);
  if (!isFields(value)) return [cell(value)];
  const plain = Object.entries(value).filter(([, field]) => isPlain(field));
  const nested = Object.entries(value).filter(([, field]) => !isPlain(field));
  const rows = plain.map(([name, field]) => [title(name), cell(field)]);
  const parts = nested.flatMap(([name, field]) => [
    '',
    terminal.style('bold', title(name)),
    ...valueLines(field, terminal).map((line) => (line === '' ? '' : `  ${line}`)),
  ]);
  return [...table(rows), ...(rows.length === 0 ? parts.slice(1) : parts)];
}

function tableLines(rows: readonly Fields[], terminal: Terminal): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const head = names.map((name) => title(name).toUpperCase());
  const cells = rows.map((row) => names.map((name) => cell(row[name])));
  const [first = '', ...rest] = table([head, ...cells]);
  return [terminal.style('dim', first), ...rest];
}

function title(name: string): string {
  return plainText(name.replaceAll('_', ' '));
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value === '' ? '–' : plainText(value);
  if (Array.isArray(value) && value.length === 0) return 'none';
  return plainText(JSON.stringify(value));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** With something in it, and objects only. */
function isTable(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every(isFields);
}

function isPlain(value: unknown): boolean {
  return !(isTable(value) || (isFields(value) && Object.keys(value).length > 0));
}
