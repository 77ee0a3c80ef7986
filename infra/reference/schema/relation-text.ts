import type { Grant, Relation } from './catalogue.ts';
import { tableNotes, writers } from './table-notes.ts';

/** What is known of a table or view beside its catalogue. */
export interface Surroundings {
  /** The store that lists the table, by its path from the root. */
  readonly store: string | undefined;
  /** The functions and files that write it, beside that store. */
  readonly writtenIn: readonly string[];
  /** The migrations that made and changed it, oldest first. */
  readonly migrations: readonly string[];
}

/** The heading of a table or view, its columns, what holds for them and who may do what. */
export function relationText(relation: Relation, around: Surroundings): string {
  const { name, columns, rules, grants } = relation;
  const parts = [
    `## ${name}`,
    noteOf(name).holds,
    [...writtenText(relation, around), `- Made by ${migrationsText(around.migrations)}`].join('\n'),
    columnTable(columns),
    rules.map((rule) => `- \`${rule.replaceAll(/\s+/g, ' ')}\``).join('\n'),
    `May ${rightsText(grants)}.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

export function noteOf(name: string) {
  const note = tableNotes[name];
  if (note === undefined) throw new Error(`table-notes.ts does not say what ${name} holds`);
  return note;
}

/** The one who decides what the table holds. Throws where nobody does, or two do. */
export function ownerText({ name, isView }: Relation, store: string | undefined): string {
  const { writer } = noteOf(name);
  if (isView && writer === undefined) return 'nobody: a view';
  if (store !== undefined && writer === undefined) return fileLink(store);
  if (store === undefined && writer !== undefined && !isView) return writers[writer];
  throw new Error(`${name} needs one owner: a store that lists it, or a writer in table-notes.ts`);
}

function writtenText(relation: Relation, { store, writtenIn }: Surroundings): string[] {
  const owner = `- Owner: ${ownerText(relation, store)}`;
  return writtenIn.length === 0 ? [owner] : [owner, `- Written in: ${writtenIn.join(', ')}`];
}

function columnTable(columns: Relation['columns']): string {
  const rows = columns.map(({ name, type, isNullable, preset }) =>
    row([name, type, isNullable ? 'null' : '', preset === '' ? '' : `\`${preset}\``]),
  );
  return [row(['Column', 'Type', 'Null', 'Default']), '|---|---|---|---|', ...rows].join('\n');
}

/** By role; in brackets the columns, where it is not all of them. */
function rightsText(grants: readonly Grant[]): string {
  const ofRoles = [...Map.groupBy(grants, ({ role }) => role)].map(([role, own]) => {
    const privileges = [...Map.groupBy(own, ({ privilege }) => privilege)].map(
      ([privilege, given]) => `${privilege}${columnsText(given)}`,
    );
    return `${role}: ${privileges.join(', ')}`;
  });
  return ofRoles.length === 0 ? 'nobody but the owner of the database' : ofRoles.join('; ');
}

function columnsText(given: readonly Grant[]): string {
  if (given.some(({ column }) => column === null)) return '';
  return ` (${given.map(({ column }) => column).join(', ')})`;
}

function migrationsText(migrations: readonly string[]): string {
  const [made = '', ...changed] = migrations.map(migrationLink);
  return changed.length === 0 ? made : `${made}, changed by ${changed.join(', ')}`;
}

/** From a page of the folder `schema`. */
export function migrationLink(name: string): string {
  return `[${name}](../../postgres/migrations/${name}.up.sql)`;
}

export function fileLink(path: string): string {
  return `[${path}](../../../${path})`;
}

export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
