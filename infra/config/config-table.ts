import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

/** The table of every key for its page, in markdown, in the order of the settings. */
export function configTable(): string {
  const rows = Object.entries<Setting<unknown>>(settings).map(([key, setting]) =>
    row([`\`${key}\``, shownDefault(key, setting), setting.unit, setting.reason]),
  );
  return [row(['Key', 'Default', 'Unit', 'Why']), '|---|---|---|---|', ...rows].join('\n');
}

// A table inside a table helps nobody.
const longestShown = 40;

function shownDefault(key: string, setting: Setting<unknown>): string {
  if (setting.default === undefined) return setting.secret ? 'required, secret' : 'required';
  if (setting.default === '') return 'none';
  if (setting.default.length <= longestShown) return `\`${setting.default}\``;
  return `built in, see \`infra/config/${key.toLowerCase().replaceAll('_', '-')}.ts\``;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
