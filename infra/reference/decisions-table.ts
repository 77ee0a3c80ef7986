import { readdirSync, readFileSync } from 'node:fs';

interface DecisionRecord {
  /** Of its file. */
  readonly name: string;
  readonly text: string;
}

/** Every decision record for the page of them all, and the numbers that no record or migration has. */
export function decisionsTable(): string {
  const folder = new URL('../decisions/', import.meta.url);
  const names = readdirSync(folder).filter((name) => /^\d/.test(name));
  const records = names.map((name) => ({
    name,
    text: readFileSync(new URL(name, folder), 'utf8'),
  }));
  const migrations = readdirSync(new URL('../postgres/migrations/', import.meta.url));
  return [
    tableOf(records),
    '',
    `No record has the number ${listed(gapsOf(names))}.`,
    `No migration has the number ${listed(gapsOf(migrations))}.`,
  ].join('\n');
}

export function tableOf(records: readonly DecisionRecord[]): string {
  const rows = records.toSorted((one, other) => numberOf(one.name) - numberOf(other.name)).map(row);
  return ['| Number | Decision | Status | Date |', '|---|---|---|---|', ...rows].join('\n');
}

function row({ name, text }: DecisionRecord): string {
  const written = /^# (\d+)\. (.+)\n\nStatus: ([\s\S]+?)\. Date: (\d{4}-\d\d-\d\d)\./.exec(text);
  const [, number, title, status = '', date] = written ?? [];
  if (Number(number) !== numberOf(name)) {
    throw new Error(`${name} must begin with its number, its title, its status and its date`);
  }
  const number4 = name.slice(0, 4);
  return `| ${number4} | [${title}](${name}) | ${status.replaceAll(/\s+/g, ' ')} | ${date} |`;
}

/** Numbers below the highest one that no file begins with. */
export function gapsOf(names: readonly string[]): readonly number[] {
  const taken = new Set(names.map(numberOf));
  const all = Array.from({ length: Math.max(...taken) }, (_, index) => index + 1);
  return all.filter((number) => !taken.has(number));
}

function numberOf(name: string): number {
  return Number(name.slice(0, 4));
}

function listed(numbers: readonly number[]): string {
  const names = numbers.map((number) => String(number).padStart(4, '0'));
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
}
