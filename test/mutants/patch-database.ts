import type { Sql } from '../../infra/ports/sql.ts';
import type { Edit, FunctionEdit, Mutant } from './mutant.ts';
import { planted } from './plant.ts';

/**
 * Plants what the mutant has in SQL into a migrated database, as superuser. `nowIs` is what stands for
 * the start of a transaction where time is simulated.
 */
export async function patchDatabase(sql: Sql, { edits }: Mutant, nowIs = 'now()'): Promise<void> {
  for (const edit of edits) {
    if ('statement' in edit) {
      await sql.unsafe(edit.statement);
    } else if (isOfFunction(edit)) {
      const replacement = edit.replacement.replaceAll('now()', nowIs);
      await sql.unsafe(planted(await functionWith(sql, edit), { ...edit, replacement }));
    }
  }
}

function isOfFunction(edit: Edit): edit is FunctionEdit {
  return edit.file.endsWith('.sql');
}

/** The definition as it stands now, whichever migration was the last to change it. */
async function functionWith(sql: Sql, { file, snippet }: FunctionEdit): Promise<string> {
  const rows = await sql<{ definition: string }[]>`
    select pg_get_functiondef(p.oid) as definition
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('rt', 'public') and p.prokind = 'f'
      and position(${snippet} in p.prosrc) > 0`;
  const [only] = rows;
  if (only === undefined || rows.length > 1) {
    throw new Error(`${rows.length} functions have what ${file} shows: ${snippet}`);
  }
  return only.definition;
}
