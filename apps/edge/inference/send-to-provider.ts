import {
  type InferenceProvider,
  isOutageStatus,
  type ProviderId,
  ProviderUnavailable,
  type UpstreamAnswer,
} from '../../../infra/ports/inference.ts';
import type { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { InferenceRun } from '../reads/inference.ts';
import { notInUse, type Route } from './choose-routes.ts';
import type { LentKey, LentKeys } from './lent-keys.ts';
import type { ProviderBreakers, Tell } from './provider-breakers.ts';

export interface SendDeps {
  readonly providers: ReadonlyMap<ProviderId, InferenceProvider>;
  readonly keys: LentKeys;
  readonly breakers: ProviderBreakers;
}

export interface Sending {
  readonly evalRunId: string;
  /** Whose agent asks. */
  readonly minerHotkey: string;
  readonly route: Route;
  /** The keys that were lent to the run when the completion began. */
  readonly lent: InferenceRun['lent'];
  /** The request's JSON text for the route's model. */
  readonly body: string;
  /** Aborts when the time is over or the client gone. */
  readonly signal: AbortSignal;
  /** Aborts when the client is gone: then nothing was learned of the provider. */
  readonly gone: AbortSignal;
  /** From now on the provider may have worked for it. */
  readonly onSent: () => void;
}

export interface Sent {
  readonly answer: UpstreamAnswer;
  /** What must not be seen by anybody. */
  readonly key: LentKey;
}

/**
 * What the provider answers, with the first of its body there. A key that it takes no more is
 * replaced once. What speaks of it alone, or nothing, is its outage. A 402 may be of the cap that this
 * service has put on the key, which says nothing of the miner's account.
 *
 * @throws PROVIDER_UNAVAILABLE, SPEND_LIMIT_REACHED, and what lending a key throws
 */
export async function sendToProvider(sending: Sending, deps: SendDeps): Promise<Sent> {
  const provider = deps.providers.get(sending.route.provider);
  if (provider === undefined) throw notInUse();
  const sent = await sendByKey(provider, sending, deps);
  if (sent.answer.status !== 402 || !(await isSpent(provider, sent, sending))) return sent;
  await forget(sent.answer);
  throw refusal('SPEND_LIMIT_REACHED');
}

async function isSpent(
  provider: InferenceProvider,
  { key }: Sent,
  { signal }: Sending,
): Promise<boolean> {
  try {
    return await provider.isSpent(key.accessKey, signal);
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error;
    return false;
  }
}

async function sendByKey(
  provider: InferenceProvider,
  sending: Sending,
  deps: SendDeps,
): Promise<Sent> {
  const { evalRunId, route, lent } = sending;
  const wish = { evalRunId, provider: route.provider };
  const key = await deps.keys.get(wish, lent[route.provider] ?? null);
  const first = await ask(provider, key, { sending, deps });
  if (first.answer.status !== 401) return first;
  await forget(first.answer);
  const another = await deps.keys.get({ ...wish, refused: first.key.keyId });
  const second = await ask(provider, another, { sending, deps });
  if (second.answer.status !== 401) return second;
  // No failure of the provider: who has the account may have withdrawn them there.
  throw refusal('PROVIDER_UNAVAILABLE', { says: 'The provider refuses the keys that it lends.' });
}

async function ask(
  provider: InferenceProvider,
  key: LentKey,
  { sending, deps }: { readonly sending: Sending; readonly deps: SendDeps },
): Promise<Sent> {
  const tell = deps.breakers.enter(provider.id, sending.minerHotkey);
  sending.onSent();
  try {
    const { body, signal } = sending;
    const answer = await begun(await provider.complete({ accessKey: key.accessKey, body, signal }));
    const isOutage = isOutageStatus(answer.status);
    tell(isOutage ? 'bad' : 'good');
    if (isOutage) throw unavailable(`The provider answers ${answer.status}.`);
    return { answer, key };
  } catch (error) {
    throw told(error, tell, sending.gone);
  }
}

function told(error: unknown, tell: Tell, gone: AbortSignal): unknown {
  tell(gone.aborted ? 'unknown' : 'bad');
  if (!(error instanceof ProviderUnavailable)) return error;
  return unavailable('The provider does not answer.');
}

/** Waits for the first chunk: headers alone are no sign of life. */
async function begun(answer: UpstreamAnswer): Promise<UpstreamAnswer> {
  const chunks = answer.body[Symbol.asyncIterator]();
  const first = await chunks.next();
  return { ...answer, body: resumed(first, chunks) };
}

async function* resumed(
  first: IteratorResult<Uint8Array>,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; next.done !== true; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

/** Lets go of an answer that nobody reads. */
export async function forget({ body }: UpstreamAnswer): Promise<void> {
  for await (const _ of body) break;
}

/** The provider was asked and failed, which tells a validator that its agent did not. */
export function unavailable(detail: string): Fault {
  return refusal('PROVIDER_UNAVAILABLE', { says: detail, extras: { provider_failed: true } });
}
