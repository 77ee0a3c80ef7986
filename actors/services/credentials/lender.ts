import type { Clock } from '../../../infra/ports/clock.ts';
import {
  CredentialRejected,
  type InferenceProvider,
  isOutageStatus,
  type MintedKey,
  type ProviderId,
  ProviderUnavailable,
} from '../../../infra/ports/inference.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Seal } from '../../../infra/ports/seal.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import type { Transact } from '../service-handler.ts';
import { insertKey, isKept, type LentKey, lentKey } from './loan-store.ts';
import { credentialContext, keyContext, keyIdContext } from './messages.ts';
import { persistently } from './persistently.ts';
import { Rests } from './rests.ts';
import {
  type Account,
  type Credential,
  credentialState,
  keepNext,
  leaveTurn,
  lockMiner,
  rejectCredential,
  type Turn,
  takeTurn,
} from './store.ts';

export interface LenderDeps {
  readonly sql: Sql;
  readonly transact: Transact;
  readonly providers: ReadonlyMap<ProviderId, InferenceProvider>;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newId: () => string;
  /** The most that one run's key may spend, where the provider knows caps. */
  readonly spendLimit: number;
  /** How long no claim waits for a provider that was away, or for an account that got no key. */
  readonly restMs: number;
}

export interface LoanTerms extends Account {
  readonly evalRunId: string;
  /** After which the key ends by itself, should nobody end it. */
  readonly lifetimeMs: number;
}

/**
 * `away`: the provider answers 5xx or the like, or nothing in time, or cannot be asked from here; `withheld`: there is no
 * key now for another reason, which may be of the miner's making; `rejected`: the provider refuses the
 * credential.
 */
export type Loan = LentKey | 'away' | 'rejected' | 'withheld';

export interface Lender {
  /**
   * The run's key: the one that is lent, or one that the provider makes now. `away` also when that
   * takes longer than `ms`; the key is then there for whoever asks later.
   */
  lendWithin(ms: number, terms: LoanTerms): Promise<Loan>;
  /** Its provider was away lately, or it got no key itself: not worth a claim's wait. */
  isResting(account: Account): boolean;
  /** Resolves when no provider is asked any more. */
  settled(): Promise<void>;
}

/** A key on its way to a run. */
interface Lending {
  /**
   * Whose doing it is if no key comes of what is under way now, or came of what was last. The provider's
   * only while it is asked, and where it was away: all else may be of this one account.
   */
  dependsOn: 'account' | 'provider';
  /** On the monotonic clock; never, as long as the account's turn is waited for. */
  askedAtMs: number;
}

/** Of another's turn; a provider answers within it. */
const turnWaitMs = 10_000;
const turnPauseMs = 50;
/** With the time that a provider may take, within a turn. */
const storeMs = 15_000;

/**
 * Asks providers for keys.
 *
 * 1. One asks by a credential at a time, over all processes: each answer may replace the credential.
 * 2. A provider that was asked is heard to the end, however soon the asker loses patience: its answer
 *    may hold the only credential that is still good.
 * 3. That credential and the key are stored by one transaction, or neither is.
 * 4. A turn ends though its holder only stands still. What it stores then is kept as the credential where
 *    the stored one is still what it asked by; its key is ended, for the run may have another by then.
 * 5. What one account meets, and its miner may have brought about, is no reason to spare its provider.
 */
export function createLender(deps: LenderDeps): Lender {
  const running = new Map<string, { readonly loan: Promise<Loan>; readonly lending: Lending }>();
  const rests = new Rests(deps);
  const lend = (terms: LoanTerms) => {
    const name = `${terms.evalRunId} ${terms.provider}`;
    const asked = running.get(name);
    if (asked !== undefined) return asked;
    const lending: Lending = { dependsOn: 'account', askedAtMs: Number.POSITIVE_INFINITY };
    const loan = lendInTurn(terms, lending, deps).finally(() => running.delete(name));
    const begun = { loan, lending };
    running.set(name, begun);
    return begun;
  };
  const learn = (account: Account, outcome: Loan, { dependsOn }: Lending) => {
    if (outcome === 'away' || outcome === 'withheld') {
      return rests.begin(dependsOn === 'provider' ? account.provider : nameOf(account));
    }
    rests.end(account.provider);
    rests.end(nameOf(account));
  };
  return {
    async lendWithin(ms, terms) {
      const inTime = new AbortController();
      const { loan, lending } = lend(terms);
      const late = deps.clock.sleep(ms, inTime.signal).then(() => {
        // Whoever waited for its account's turn has hardly asked, and knows nothing of the provider.
        if (deps.clock.monotonicMs() - lending.askedAtMs < ms / 2) lending.dependsOn = 'account';
        return 'away' as const;
      });
      // Whoever has lost patience does not hear of it.
      loan.catch((error) => deps.log.warn('a key could not be lent', { error }));
      try {
        const outcome = await Promise.race([loan, late]);
        learn(terms, outcome, lending);
        return outcome;
      } finally {
        inTime.abort();
      }
    },
    isResting: (account) => rests.has(account.provider) || rests.has(nameOf(account)),
    async settled() {
      await Promise.allSettled([...running.values()].map(({ loan }) => loan));
    },
  };
}

/** No provider's own name has a space. */
function nameOf({ hotkey, provider }: Account): string {
  return `${provider} ${hotkey}`;
}

async function lendInTurn(terms: LoanTerms, lending: Lending, deps: LenderDeps): Promise<Loan> {
  const { sql, clock, log } = deps;
  const provider = deps.providers.get(terms.provider);
  if (provider === undefined) {
    log.error('a provider that miners use has no URL here', { provider: terms.provider });
    return 'away';
  }
  const holder = deps.newId();
  const untilMs = clock.monotonicMs() + turnWaitMs;
  for (;;) {
    const credential = await takeTurn(sql, terms, holder);
    // Whoever had the turn before may have asked for this very run.
    const lent = await lentKey(sql, terms.evalRunId, terms.provider);
    if (credential !== undefined && lent === undefined) {
      return await mint(terms, { provider, credential, holder, lending }, deps);
    }
    if (credential !== undefined) await leaveTurn(sql, credential.credentialId, holder);
    if (lent !== undefined) return lent;
    const state = await credentialState(sql, terms);
    if (state === 'rejected') return 'rejected';
    if (state === 'absent') return 'withheld';
    if (clock.monotonicMs() >= untilMs) return 'away';
    await clock.sleep(turnPauseMs);
  }
}

interface Asking extends Turn {
  readonly provider: InferenceProvider;
  readonly lending: Lending;
}

async function mint(terms: LoanTerms, turn: Asking, deps: LenderDeps): Promise<Loan> {
  const { evalRunId, lifetimeMs } = terms;
  const { provider, credential, holder, lending } = turn;
  const { clock, log, spendLimit } = deps;
  try {
    const opened = open(credential, deps);
    if (opened === undefined) {
      await leaveTurn(deps.sql, credential.credentialId, holder);
      return 'away';
    }
    const expiresAtMs = clock.nowMs() + Math.max(0, lifetimeMs);
    lending.dependsOn = 'provider';
    lending.askedAtMs = clock.monotonicMs();
    const minted = await provider.mint(opened, { evalRunId, expiresAtMs, spendLimit });
    lending.dependsOn = 'account';
    return await keep(terms, turn, { minted, deps });
  } catch (error) {
    const isAway = error instanceof ProviderUnavailable && isOutage(error);
    lending.dependsOn = isAway ? 'provider' : 'account';
    if (error instanceof CredentialRejected) {
      return (await rejectCredential(deps.sql, credential, holder)) ? 'rejected' : 'withheld';
    }
    await leaveTurn(deps.sql, credential.credentialId, holder);
    if (!(error instanceof ProviderUnavailable)) throw error;
    log.warn('a provider lends no key', { provider: provider.id, error });
    return isAway ? 'away' : 'withheld';
  }
}

/** Who has the account can bring about a 429, say, and is not to gain by it. */
export function isOutage({ status }: ProviderUnavailable): boolean {
  return status === undefined || isOutageStatus(status);
}

/** A key of ours that is missing is our fault alone: neither a claim nor the miner is to suffer. */
function open({ sealed, hotkey, provider }: Credential, deps: LenderDeps): string | undefined {
  try {
    return deps.seal.open(sealed, credentialContext(hotkey, provider));
  } catch (error) {
    deps.log.error('a stored credential does not open', { hotkey, provider, error });
    return undefined;
  }
}

/** One that does not open here is another: it was opened when its provider was asked by it. */
function saysTheSame(stored: string, asked: Credential, deps: LenderDeps): boolean {
  if (stored === asked.sealed) return true;
  const said = open({ ...asked, sealed: stored }, deps);
  return said !== undefined && said === open(asked, deps);
}

async function keep(
  terms: LoanTerms,
  turn: Turn,
  { minted, deps }: { readonly minted: MintedKey; readonly deps: LenderDeps },
): Promise<Loan> {
  const { evalRunId, hotkey, provider } = terms;
  const { credentialId } = turn.credential;
  const { seal } = deps;
  const { accessKey, keyId, expiresAtMs, nextCredential } = minted;
  const sealedKey = seal.seal(accessKey, keyContext(evalRunId, provider));
  const sealedKeyId = seal.seal(keyId, keyIdContext(evalRunId, provider));
  const next =
    nextCredential === undefined
      ? null
      : {
          sealed: seal.seal(nextCredential, credentialContext(hotkey, provider)),
          replaces: (stored: string) => saysTheSame(stored, turn.credential, deps),
        };
  const key = { keyId: deps.newId(), sealedKey, sealedKeyId, expiresAtMs, credentialId };
  const store = async (tx: Transaction) => {
    await lockMiner(tx, hotkey);
    if (await isKept(tx, key.keyId)) return true;
    const isLent = await keepNext(tx, turn, next);
    await insertKey(tx, { ...key, evalRunId, hotkey, provider }, isLent);
    return isLent;
  };
  const isLent = await persistently(deps.clock, storeMs, () => deps.transact(store));
  return isLent ? { keyId: key.keyId, sealedKey, expiresAtMs } : 'withheld';
}
