import type { Setting } from './setting.ts';
import { settingGroups } from './settings.ts';

type Group = Readonly<Record<string, Setting<unknown>>>;

/** A chapter for each group of settings, in markdown, with a table of its keys. */
export function configTables(): string {
  return Object.entries<Group>(settingGroups)
    .map(([title, group]) => `## ${title}\n\n${tableOf(group)}\n`)
    .join('\n');
}

function tableOf(group: Group): string {
  const rows = Object.entries(group).map(([key, setting]) =>
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
