import type { Sql } from '../../../infra/ports/sql.ts';

export interface SessionRow {
  readonly hotkey: string;
  readonly isBanned: boolean;
}

/** Whose session a token opened, while it lasts. One read by primary key. */
export async function liveSession(sql: Sql, tokenSha256: string): Promise<SessionRow | undefined> {
  const [row] = await sql<SessionRow[]>`
    select s.hotkey, (b.hotkey is not null) as "isBanned"
    from session s
    left join hotkey_ban b on b.hotkey = s.hotkey
    where s.token_sha256 = ${tokenSha256} and s.expires_at > rt.clock()`;
  return row;
}

export async function isHotkeyBanned(sql: Sql, hotkey: string): Promise<boolean> {
  const [row] = await sql<{ banned: boolean }[]>`
    select exists (select from hotkey_ban where hotkey = ${hotkey}) as banned`;
  return row?.banned ?? false;
}
