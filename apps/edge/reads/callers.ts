import type { Sql } from '../../../infra/ports/sql.ts';

export interface SessionRow {
  readonly hotkey: string;
  readonly isBanned: boolean;
}

/** Whose session each token opened, while it lasts; tokens without one are left out. */
export async function liveSessions(
  sql: Sql,
  tokensSha256: readonly string[],
): Promise<ReadonlyMap<string, SessionRow>> {
  const rows = await sql<(SessionRow & { tokenSha256: string })[]>`
    select s.token_sha256 as "tokenSha256", s.hotkey, (b.hotkey is not null) as "isBanned"
    from session s
    left join hotkey_ban b on b.hotkey = s.hotkey
    where s.token_sha256 = any(${tokensSha256 as string[]}::text[]) and s.expires_at > rt.clock()`;
  return new Map(
    rows.map(({ tokenSha256, hotkey, isBanned }) => [tokenSha256, { hotkey, isBanned }]),
  );
}

/** Those of them that are banned, each as `true`. */
export async function bannedHotkeys(
  sql: Sql,
  hotkeys: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const rows = await sql<{ hotkey: string }[]>`
    select hotkey from hotkey_ban where hotkey = any(${hotkeys as string[]}::text[])`;
  return new Map(rows.map(({ hotkey }) => [hotkey, true]));
}
