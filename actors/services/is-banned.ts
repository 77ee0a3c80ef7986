import type { Transaction } from '../../infra/ports/sql.ts';

/** As of now, for a transaction that must not do what a banned key asked for. */
export async function isBanned(tx: Transaction, hotkey: string): Promise<boolean> {
  const [row] = await tx<{ banned: boolean }[]>`
    select exists (select from hotkey_ban where hotkey = ${hotkey}) as banned`;
  return row?.banned ?? false;
}
