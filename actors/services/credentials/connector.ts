import {
  CredentialRejected,
  type InferenceProvider,
  ProviderUnavailable,
} from '../../../infra/ports/inference.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { isCarriedOut, wasCarriedOut } from '../carried-out-store.ts';
import type { ReplyOf, RequestOf } from '../messages.ts';
import type { CommandFacts } from '../service-handler.ts';
import {
  beginCheck,
  type CheckOrder,
  endCheck,
  endGoodCheck,
  forgetCheck,
  noteOf,
} from './check-store.ts';
import {
  notConnected,
  outcomeUnknown,
  rejected,
  requireNoBan,
  spent,
  unavailable,
  unused,
} from './faults.ts';
import { isOutage, type LenderDeps } from './lender.ts';
import { credentialContext, type credentialsService } from './messages.ts';
import { persistently } from './persistently.ts';
import {
  credentialState,
  credentialStatus,
  insertDefault,
  lockMiner,
  retireCredential,
  upsertCredential,
} from './store.ts';

type Contract = typeof credentialsService;
type Status = ReplyOf<Contract, 'connect'>;

export interface ConnectorDeps extends LenderDeps {
  readonly hash: (text: string) => string;
  /** How long a caller waits: less than it does, so that it hears how it stands. */
  readonly connectMs?: number;
}

export interface Connector {
  connect(request: RequestOf<Contract, 'connect'>, command: CommandFacts): Promise<Status>;
  /** Resolves when no provider is asked any more. */
  settled(): Promise<void>;
}

const usualConnectMs = 8_000;
const beginMs = 3_000;
/** With the time that a provider may take, within a turn. */
const storeMs = 15_000;
/** Of another who shows the same credential. */
const turnPauseMs = 250;

/** A miner's wish to store a credential, on its way. */
interface Order extends CheckOrder {
  readonly credential: string;
  readonly mustExist: boolean;
  /** After which nobody waits for it. */
  readonly untilMs: number;
  /** Before this one shows it. */
  wasShown: boolean;
  /** The provider has the word. */
  isAsking: boolean;
}

/**
 * Has the miners' credentials checked and stored. One may be good for a single use, so that its provider answers
 * the one to keep, and refuses it from then on.
 *
 * 1. One shows a credential to its provider at a time, over all processes. Where what was given for it is stored
 *    and good, it is shown no more, however often and by which order it is sent.
 * 2. A provider that was asked is heard to the end, and what it gave is stored, however soon the caller
 *    loses patience: who sends it again hears that it is.
 * 3. What comes late undoes nothing that the miner ordered since. Who sends again what was overtaken while it is
 *    shown gets what the provider gives for it.
 * 4. Who is refused what was shown before is told so, unless what came of that is stored by then.
 */
export function createConnector(deps: ConnectorDeps): Connector {
  const running = new Set<Promise<unknown>>();
  return {
    async connect(request, command) {
      const { clock, log, connectMs = usualConnectMs } = deps;
      const order = orderOf(request, command, clock.monotonicMs() + connectMs, deps);
      const work = carryOut(order, deps).finally(() => running.delete(work));
      running.add(work);
      const inTime = new AbortController();
      try {
        const late = clock.sleep(connectMs, inTime.signal).then(() => undefined);
        const status = await Promise.race([work, late]);
        if (status !== undefined) return status;
      } finally {
        inTime.abort();
      }
      work.catch((error) => log.warn('a credential was not stored', { error }));
      throw order.isAsking
        ? unavailable('The provider has not answered yet.', true)
        : outcomeUnknown();
    },
    async settled() {
      await Promise.allSettled(running);
    },
  };
}

function orderOf(
  { hotkey, provider, sealed, mustExist }: RequestOf<Contract, 'connect'>,
  command: CommandFacts,
  untilMs: number,
  { seal, hash, newId }: ConnectorDeps,
): Order {
  const context = credentialContext(hotkey, provider);
  const credential = seal.open(sealed, context);
  return {
    ...{ hotkey, provider, credential, mustExist, untilMs },
    ...{ commandId: command.id, holder: newId(), wasShown: false, isAsking: false },
    shownSha256: hash(`${context}\n${credential}`),
  };
}

async function carryOut(order: Order, deps: ConnectorDeps): Promise<Status> {
  const provider = deps.providers.get(order.provider);
  if (provider === undefined) throw unused();
  const known = await inTurn(order, deps);
  if (known !== undefined) return known;
  try {
    const kept = await checked(provider, order, deps);
    return await store(kept, order, deps);
  } catch (error) {
    if (error instanceof CredentialRejected) return await refused(order, deps);
    await leaveTurn(order, deps).catch((failure) => saysHeld(deps, failure));
    throw error;
  }
}

/** Undefined when it is its turn to show it; else there is this to answer without. */
async function inTurn(
  order: Order,
  { clock, transact }: ConnectorDeps,
): Promise<Status | undefined> {
  for (let isWaiting = false; ; isWaiting = true) {
    const begun = await persistently(clock, beginMs, () =>
      transact((tx) => begin(tx, order, isWaiting, { clock })),
    );
    if (begun !== 'busy') return begun;
    if (clock.monotonicMs() >= order.untilMs) throw outcomeUnknown();
    await clock.sleep(turnPauseMs);
  }
}

async function begin(
  tx: Transaction,
  order: Order,
  isWaiting: boolean,
  { clock }: Pick<ConnectorDeps, 'clock'>,
): Promise<Status | 'busy' | undefined> {
  await lockMiner(tx, order.hotkey);
  if (await wasCarriedOut(tx, order.commandId)) return await statusOf(tx, order);
  // Its caller was told that nobody knows, and may have ordered something else since.
  if (clock.monotonicMs() >= order.untilMs) throw outcomeUnknown();
  // The provider left it as it is, or does not take it, and what the miner ordered since is not known.
  if (isWaiting && (await noteOf(tx, order)) === undefined) throw outcomeUnknown();
  if (order.mustExist && (await credentialState(tx, order)) === 'absent') throw notConnected();
  const state = await beginCheck(tx, order, isWaiting);
  if (state === 'busy') return 'busy';
  if (state === 'stored' || state === 'overtaken') return await statusOf(tx, order);
  // With `own` an earlier try has said it.
  if (state !== 'own') order.wasShown = state === 'again';
  return undefined;
}

/** As it is by now. */
async function statusOf(tx: Transaction, order: Order): Promise<Status> {
  const status = await credentialStatus(tx, order);
  return {
    connected: status?.isConnected === true,
    updatedAtMs: status?.updatedAt.getTime() ?? null,
  };
}

/** The credential to keep: a provider may have replaced the one that it was shown. */
async function checked(
  provider: InferenceProvider,
  order: Order,
  { log }: ConnectorDeps,
): Promise<string> {
  order.isAsking = true;
  try {
    return await provider.check(order.credential);
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error;
    // The miner is not told what the provider said; it may be of how this service asks.
    log.warn('a provider could not check a credential', { provider: provider.id, error });
    throw unavailable('The provider gives no usable answer.', isOutage(error));
  } finally {
    order.isAsking = false;
  }
}

async function store(kept: string, order: Order, deps: ConnectorDeps): Promise<Status> {
  const { hotkey, provider, commandId } = order;
  const credentialId = deps.newId();
  const sealed = deps.seal.seal(kept, credentialContext(hotkey, provider));
  const stored = async (tx: Transaction) => {
    await lockMiner(tx, hotkey);
    // By a try of this one whose answer got lost.
    if (await isCarriedOut(tx, commandId)) return await statusOf(tx, order);
    const note = await noteOf(tx, order);
    if (note === undefined || note.isOvertaken) {
      await endCheck(tx, order);
      return await statusOf(tx, order);
    }
    await requireNoBan(tx, hotkey);
    // What had to be there is: who disconnected it has overtaken this order.
    await retireCredential(tx, order, commandId);
    await upsertCredential(tx, { hotkey, provider, credentialId, sealed });
    await insertDefault(tx, order);
    await endGoodCheck(tx, order, kept === order.credential ? null : credentialId);
    return await statusOf(tx, order);
  };
  return await persistently(deps.clock, storeMs, () => deps.transact(stored));
}

/** Unless one whose turn ended before it was heard has stored what the provider gave it. */
async function refused(order: Order, deps: ConnectorDeps): Promise<Status> {
  const end = order.wasShown ? endCheck : forgetCheck;
  const settled = async (tx: Transaction) => {
    await lockMiner(tx, order.hotkey);
    if ((await noteOf(tx, order))?.isStored === true) return await statusOf(tx, order);
    await end(tx, order);
    return undefined;
  };
  const status = await deps.transact(settled).catch((failure) => saysHeld(deps, failure));
  if (status !== undefined) return status;
  throw order.wasShown ? spent() : rejected();
}

/** Under the lock, since another order may move what is noted of it meanwhile. */
async function leaveTurn(order: Order, { transact }: ConnectorDeps): Promise<void> {
  await transact(async (tx) => {
    await lockMiner(tx, order.hotkey);
    await endCheck(tx, order);
  });
}

/** A turn whose end fails ends by the clock. */
function saysHeld({ log }: ConnectorDeps, error: unknown): undefined {
  log.warn('the check of a credential is held to go on for a while', { error });
  return undefined;
}
