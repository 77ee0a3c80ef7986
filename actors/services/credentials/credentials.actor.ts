import {
  CredentialRejected,
  type InferenceProvider,
  ProviderUnavailable,
} from '../../../infra/ports/inference.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';
import type { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { isCarriedOut } from '../carried-out-store.ts';
import { isBanned } from '../is-banned.ts';
import type { ReplyOf, RequestOf } from '../messages.ts';
import type { CommandFacts, Handlers } from '../service-handler.ts';
import { isOutage, type Lender, type LenderDeps } from './lender.ts';
import {
  insertToken,
  type KeyFacts,
  keyFacts,
  tokenFacts,
  withdrawKey,
  withdrawKeysOf,
} from './loan-store.ts';
import { credentialContext, type credentialsService, tokenContext } from './messages.ts';
import { persistently } from './persistently.ts';
import {
  type Account,
  credentialState,
  deleteCredential,
  insertDefault,
  lockMiner,
  retireCredential,
  storedAt,
  upsertCredential,
  upsertDefault,
  wasRetiredBy,
} from './store.ts';

type Contract = typeof credentialsService;
type Status = ReplyOf<Contract, 'connect'>;
type IssuedToken = ReplyOf<Contract, 'issue-token'>['token'];

export interface CredentialsDeps extends LenderDeps {
  readonly lender: Lender;
  /** A secret of 64 hex digits. */
  readonly newSecret: () => string;
  readonly hash: (text: string) => string;
  /** How long a claim waits for a provider. */
  readonly mintMs: number;
  /** From the claim to the end that is told of its token: longer than a run may last without an outage. */
  readonly tokenLifetimeSeconds: number;
}

/** Together below what a caller waits, so that it hears how the check ended. */
const checkMs = 6_000;
const storeMs = 3_000;
const retryAfterSeconds = 5;

/**
 * Keeps the miners' credentials at the inference providers, and lends runs what they need of them.
 *
 * 1. A credential is stored only after its provider accepted it; a refusal changes nothing.
 * 2. A run has one token for its life. It speaks for a live run alone.
 * 3. A key that a provider made is known here until it has ended there.
 * 4. Disconnecting ends all keys lent from the credential, also those of live runs: the miner wants
 *    nothing more spent. Storing another leaves the keys of live runs to their runs.
 * 5. A banned miner changes nothing. The transaction of the change looks: the edge looked before a
 *    provider was asked, seconds ago.
 * 6. A change is made once. Whoever reads it again undoes nothing that its miner changed since.
 */
export function createCredentialsService(deps: CredentialsDeps): Handlers<Contract> {
  return {
    connect: (request, command) => connect(request, command, deps),
    disconnect: (account, command) => disconnect(account, command, deps),
    'set-default': (account, command) => setDefault(account, command, deps),
    'issue-token': async ({ evalRunId }) => ({ token: await issueToken(evalRunId, deps) }),
    'find-key': async (wish) => ({ key: (await requireFacts(wish, deps)).key }),
    'lend-key': (request) => lendKey(request, deps),
  };
}

async function connect(
  { hotkey, provider: id, sealed, mustExist }: RequestOf<Contract, 'connect'>,
  command: CommandFacts,
  deps: CredentialsDeps,
): Promise<Status> {
  const account = { hotkey, provider: id };
  if (mustExist && (await credentialState(deps.sql, account)) === 'absent') throw notConnected();
  const provider = deps.providers.get(id);
  if (provider === undefined) throw unused();
  const context = credentialContext(hotkey, id);
  const kept = await checked(provider, deps.seal.open(sealed, context), deps);
  const credential = { credentialId: deps.newId(), sealed: deps.seal.seal(kept, context) };
  const store = async (tx: Transaction) => {
    await lockMiner(tx, hotkey);
    // By another member, or by a try of this one whose answer got lost.
    if (await isCarriedOut(tx, command.id)) return await storedAt(tx, account);
    await requireNoBan(tx, hotkey);
    const isReplacing = await retireCredential(tx, account, command.id);
    if (mustExist && !isReplacing) throw notConnected();
    const now = await upsertCredential(tx, { ...account, ...credential });
    await insertDefault(tx, account);
    return now;
  };
  const updatedAt = await persistently(deps.clock, storeMs, () => deps.transact(store));
  return { connected: updatedAt !== undefined, updatedAtMs: updatedAt?.getTime() ?? null };
}

/** The credential to keep: a provider may have replaced the one that it was shown. */
async function checked(
  provider: InferenceProvider,
  credential: string,
  { clock, log }: CredentialsDeps,
): Promise<string> {
  const late = new AbortController();
  const done = new AbortController();
  const lateness = clock.sleep(checkMs, done.signal).then(() => late.abort());
  try {
    return await provider.check(credential, late.signal);
  } catch (error) {
    if (error instanceof CredentialRejected) throw rejected();
    if (!(error instanceof ProviderUnavailable)) throw error;
    // The miner is not told what the provider said; it may be of how this service asks.
    log.warn('a provider could not check a credential', { provider: provider.id, error });
    throw unavailable('The provider gives no usable answer.', isOutage(error));
  } finally {
    done.abort();
    await lateness;
  }
}

async function disconnect(
  account: Account,
  command: CommandFacts,
  deps: CredentialsDeps,
): Promise<Status> {
  await deps.transact(async (tx) => {
    await lockMiner(tx, account.hotkey);
    if (await wasRetiredBy(tx, account, command.id)) return;
    await requireNoBan(tx, account.hotkey);
    // Kept aside until its keys have ended, which only it can do.
    if (!(await retireCredential(tx, account, command.id))) throw notConnected();
    await withdrawKeysOf(tx, account.hotkey, account.provider);
    await deleteCredential(tx, account);
  });
  return { connected: false, updatedAtMs: null };
}

async function setDefault(
  account: Account,
  command: CommandFacts,
  { providers, transact }: CredentialsDeps,
): Promise<ReplyOf<Contract, 'set-default'>> {
  // In a body it is a name like any other, and what is not in use cannot be connected.
  if (!providers.has(account.provider)) {
    throw refusal('DEFAULT_NOT_CONNECTED', {
      says: 'This provider is not in use here.',
      next: 'Choose or connect another provider.',
    });
  }
  await transact(async (tx) => {
    await lockMiner(tx, account.hotkey);
    if (await isCarriedOut(tx, command.id)) return;
    await requireNoBan(tx, account.hotkey);
    // Within, or what was refused would count as carried out.
    if (!(await upsertDefault(tx, account))) throw refusal('DEFAULT_NOT_CONNECTED');
  });
  return { provider: account.provider };
}

async function requireNoBan(tx: Transaction, hotkey: string): Promise<void> {
  if (await isBanned(tx, hotkey)) throw refusal('BANNED');
}

async function issueToken(evalRunId: string, deps: CredentialsDeps): Promise<IssuedToken> {
  const { sql, seal, lender, tokenLifetimeSeconds: lifetimeSeconds } = deps;
  const facts = await tokenFacts(sql, evalRunId, lifetimeSeconds);
  if (facts === undefined) return null;
  if (facts.token !== null) return facts.token;
  const { hotkey, provider, lifetimeMs } = facts;
  if (provider === null) return null;
  const terms = { evalRunId, hotkey, provider, lifetimeMs };
  const isLater = lender.isResting(terms);
  if (!isLater && (await lender.lendWithin(deps.mintMs, terms)) === 'rejected') return null;
  const token = `inf_${deps.newSecret()}`;
  const issued = await insertToken(sql, {
    ...{ evalRunId, hotkey, provider, lifetimeSeconds },
    tokenSha256: deps.hash(token),
    sealedToken: seal.seal(token, tokenContext(evalRunId)),
  });
  return issued ?? null;
}

async function lendKey(
  { evalRunId, provider, refused }: RequestOf<Contract, 'lend-key'>,
  deps: CredentialsDeps,
): Promise<ReplyOf<Contract, 'lend-key'>> {
  if (refused !== null) await withdrawKey(deps.sql, { evalRunId, provider, keyId: refused });
  const facts = await requireFacts({ evalRunId, provider }, deps);
  if (facts.key !== null) return facts.key;
  if (facts.credential === 'absent') throw notConnected();
  if (facts.credential === 'rejected') throw rejected();
  const { hotkey, lifetimeMs } = facts;
  const loan = await deps.lender.lendWithin(lendMs, { evalRunId, hotkey, provider, lifetimeMs });
  if (loan === 'rejected') throw rejected();
  if (loan === 'away' || loan === 'withheld') {
    throw unavailable('The provider lends no key right now.', loan === 'away');
  }
  return loan;
}

async function requireFacts(
  { evalRunId, provider }: RequestOf<Contract, 'find-key'>,
  { sql }: CredentialsDeps,
): Promise<KeyFacts> {
  const facts = await keyFacts(sql, evalRunId, provider);
  if (facts === undefined)
    throw refusal('INVALID_SESSION', {
      says: 'The evaluation run has ended.',
      next: 'Stop: its token answers nothing any more.',
    });
  return facts;
}

/** Below the budget of a caller's request. */
const lendMs = 8_000;

function notConnected(): Fault {
  return refusal('NOT_CONNECTED');
}

function rejected(): Fault {
  return refusal('CREDENTIAL_REJECTED');
}

/** Until somebody sets its address, so to repeat it would never help. */
function unused(): Fault {
  return refusal('UNKNOWN_PROVIDER', {
    says: 'This provider is not in use here.',
    next: 'Connect another provider.',
  });
}

/** An outage tells a validator that its agent did not fail (decision record 78). */
function unavailable(says: string, isOfProvider: boolean): Fault {
  const failed = isOfProvider && { provider_failed: true };
  return refusal('PROVIDER_UNAVAILABLE', {
    says,
    extras: { retry_after_seconds: retryAfterSeconds, ...failed },
  });
}
