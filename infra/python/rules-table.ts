import { rules } from './finding.ts';

/** The rules of the static analysis for their page, in the order of their categories. */
export function rulesTable(): string {
  const rows = Object.entries(rules).map(
    ([rule, { category, finds, advice }]) =>
      `| \`${rule}\` | ${category} | ${capital(finds)} | ${advice} |`,
  );
  return ['| Rule | Category | Finds | Instead |', '|---|---|---|---|', ...rows].join('\n');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
