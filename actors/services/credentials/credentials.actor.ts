import { refusal } from '../../../machines/refusal.ts';
import { isCarriedOut } from '../carried-out-store.ts';
import type { ReplyOf, RequestOf } from '../messages.ts';
import type { CommandFacts, Handlers } from '../service-handler.ts';
import { overtakeChecks } from './check-store.ts';
import type { Connector } from './connector.ts';
import { notConnected, rejected, requireNoBan, unavailable } from './faults.ts';
import type { Lender, LenderDeps } from './lender.ts';
import {
  insertToken,
  type KeyFacts,
  keyFacts,
  tokenFacts,
  withdrawKey,
  withdrawKeysOf,
} from './loan-store.ts';
import { type credentialsService, tokenContext } from './messages.ts';
import {
  type Account,
  deleteCredential,
  lockMiner,
  retireCredential,
  upsertDefault,
  wasRetiredBy,
} from './store.ts';

type Contract = typeof credentialsService;
type Status = ReplyOf<Contract, 'connect'>;
type IssuedToken = ReplyOf<Contract, 'issue-token'>['token'];

export interface CredentialsDeps extends LenderDeps {
  readonly lender: Lender;
  readonly connector: Connector;
  /** A secret of 64 hex digits. */
  readonly newSecret: () => string;
  readonly hash: (text: string) => string;
  /** How long a claim waits for a provider. */
  readonly mintMs: number;
  /** From the claim to the end that is told of its token: longer than a run may last without an outage. */
  readonly tokenLifetimeSeconds: number;
}

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
 * 6. A change is made once. Whoever reads it again undoes nothing that its miner changed since, and shows
 *    no credential to its provider a second time.
 */
export function createCredentialsService(deps: CredentialsDeps): Handlers<Contract> {
  return {
    connect: (request, command) => deps.connector.connect(request, command),
    disconnect: (account, command) => disconnect(account, command, deps),
    'set-default': (account, command) => setDefault(account, command, deps),
    'issue-token': async ({ evalRunId }) => ({ token: await issueToken(evalRunId, deps) }),
    'find-key': async (wish) => ({ key: (await requireFacts(wish, deps)).key }),
    'lend-key': (request) => lendKey(request, deps),
  };
}

async function disconnect(
  account: Account,
  command: CommandFacts,
  deps: CredentialsDeps,
): Promise<Status> {
  const wasConnected = await deps.transact(async (tx) => {
    await lockMiner(tx, account.hotkey);
    if (await isCarriedOut(tx, command.id)) return await wasRetiredBy(tx, account, command.id);
    await requireNoBan(tx, account.hotkey);
    // Also of one that is not stored yet: its miner does not want it any more.
    await overtakeChecks(tx, account);
    // Kept aside until its keys have ended, which only it can do.
    if (!(await retireCredential(tx, account, command.id))) return false;
    await withdrawKeysOf(tx, account.hotkey, account.provider);
    await deleteCredential(tx, account);
    return true;
  });
  if (!wasConnected) throw notConnected();
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
