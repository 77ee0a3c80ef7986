import type { Sql } from '../../../infra/ports/sql.ts';
import type { Rejection } from './messages.ts';

export const tables = ['rejected_submission'] as const;

/** A repeated command counts once. */
export async function insertRejection(
  sql: Sql,
  commandId: string,
  { hotkey, reason, codeSha256 }: Rejection,
): Promise<void> {
  await sql`
    insert into rejected_submission (command_id, hotkey, reason, code_sha256, at)
    values (${commandId}, ${hotkey}, ${reason}, ${codeSha256}, rt.clock())
    on conflict (command_id) do nothing`;
}
