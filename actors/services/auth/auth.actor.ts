import type { Clock } from '../../../infra/ports/clock.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { isBanned } from '../is-banned.ts';
import type { RequestOf } from '../messages.ts';
import type { CommandFacts, Handlers, Transact } from '../service-handler.ts';
import type { Sweep } from '../sweep.ts';
import type { authService } from './messages.ts';
import { SettledInstant } from './settled-instant.ts';
import {
  consumeChallenge,
  deleteChallenges,
  deleteNonces,
  deleteSession,
  deleteSessions,
  deleteSessionsOf,
  insertChallenge,
  insertNonces,
  insertSession,
  lockHotkey,
  nonceClockMs,
  sessionEnd,
} from './store.ts';

/**
 * Writes what authentication must remember; the edges only read.
 *
 * 1. A challenge is consumed once, by the first attempt, also when that attempt fails.
 * 2. A nonce is taken once over all edges and restarts: the primary key decides, nothing in memory.
 * 3. A request that is repeated under its id is answered as the first time. What it did and was undone since, by a
 *    logout or a ban, it does not do again, also where it is the first try that comes late.
 */
export function createAuthService(deps: {
  readonly sql: Sql;
  readonly transact: Transact;
}): Handlers<typeof authService> {
  return {
    'keep-challenge': async ({ challengeSha256, hotkey, lifetimeSeconds }) => {
      const challenge = { sha256: challengeSha256, hotkey, lifetimeSeconds };
      const expiresAt = await insertChallenge(deps.sql, challenge);
      return { expiresAtMs: expiresAt.getTime() };
    },
    'exchange-challenge': async (request, command) => {
      // The refusal comes after the commit: thrown inside, it would give the challenge back.
      const outcome = await deps.transact((tx) => exchange(tx, request, command));
      if (outcome instanceof Fault) throw outcome;
      return { expiresAtMs: outcome?.getTime() ?? null };
    },
    'end-session': async ({ tokenSha256 }) => {
      await deleteSession(deps.sql, tokenSha256);
      return {};
    },
    'record-nonces': async ({ nonces }, command) => {
      const taken = await insertNonces(deps.sql, nonces, command.id);
      const fresh = new Set(taken.map(nonceKey));
      return { fresh: nonces.map((nonce) => fresh.has(nonceKey(nonce))) };
    },
  };
}

/**
 * For the transaction of a ban, before the ban itself: what the key had proved counts no more, and
 * nothing can be opened for it until the ban can be seen.
 */
export async function endSessionsOf(tx: Transaction, hotkey: string): Promise<void> {
  await lockHotkey(tx, hotkey);
  await deleteSessionsOf(tx, hotkey);
}

export function outdatedIdentity(
  sql: Sql,
  { keepNonceSeconds, clock }: { readonly keepNonceSeconds: number; readonly clock: Clock },
) {
  const settled = new SettledInstant(keepNonceSeconds * 1000, clock);
  return {
    nonces: async (limit) => {
      const beforeMs = settled.after(await nonceClockMs(sql));
      return beforeMs === undefined ? 0 : await deleteNonces(sql, beforeMs, limit);
    },
    challenges: (limit) => deleteChallenges(sql, limit),
    sessions: (limit) => deleteSessions(sql, limit),
  } satisfies Readonly<Record<string, Sweep>>;
}

const nonceKey = (use: { readonly hotkey: string; readonly nonce: string }) =>
  `${use.hotkey} ${use.nonce}`;

async function exchange(
  tx: Transaction,
  request: RequestOf<typeof authService, 'exchange-challenge'>,
  command: CommandFacts,
): Promise<Date | Fault | undefined> {
  const { challengeSha256, hotkey, session } = request;
  const consumed = await consumeChallenge(tx, { sha256: challengeSha256, commandId: command.id });
  if (consumed === undefined || consumed.hotkey !== hotkey || !consumed.isInTime) {
    return refusal('INVALID_CHALLENGE');
  }
  if (session === null) return undefined;
  await lockHotkey(tx, hotkey);
  if (await isBanned(tx, hotkey)) return refusal('BANNED');
  if (consumed.isRepeat) {
    return (await sessionEnd(tx, session.tokenSha256)) ?? refusal('INVALID_CHALLENGE');
  }
  return await insertSession(tx, { ...session, hotkey });
}
