/** A source of ours by its path from the root; its comments may be blanked. */
interface Source {
  readonly path: string;
  readonly text: string;
}

/** The store that lists each table, from `export const tables = ['run', …]`. Throws where two do. */
export function ownersOf(files: readonly Source[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { path, text } of files) {
    const list = /^export const tables = \[([^\]]*)\]/m.exec(text)?.[1] ?? '';
    for (const [, table = ''] of list.matchAll(/'([^']+)'/g)) {
      const other = owners.get(table);
      if (other !== undefined) throw new Error(`${table} is owned by ${other} and by ${path}`);
      owners.set(table, path);
    }
  }
  return owners;
}

const writing =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(?:only\s+)?([a-z_.]+)/g;

/** What SQL in `text` writes, over line ends, since a clause may stand on its own line. */
export function tablesWrittenIn(text: string): string[] {
  return [...text.matchAll(writing)].map(([, table = '']) => table);
}
