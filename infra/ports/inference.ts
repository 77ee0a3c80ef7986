/**
 * A company that serves language models, seen from here: it holds an account of each miner, lends
 * keys of short life against the miner's credential, and answers chat completions under them.
 * Adapters live in infra/inference; the words on the wire are configuration.
 */
export type ProviderId = 'providera' | 'providerb';

export const providerIds: readonly ProviderId[] = ['providera', 'providerb'];

export interface InferenceProvider {
  readonly id: ProviderId;
  /**
   * Proves a credential, and answers the one to keep: where it is proven only by its use, the
   * provider may have replaced it, and the given one is then worth nothing.
   * @throws CredentialRejected, ProviderUnavailable
   */
  check(credential: string, signal?: AbortSignal): Promise<string>;
  /**
   * Lends a key for one evaluation run alone. The same run may ask again after a lost answer: the
   * provider then holds a key too many, which ends by itself at `expiresAtMs`.
   * @throws CredentialRejected, ProviderUnavailable
   */
  mint(credential: string, terms: MintTerms, signal?: AbortSignal): Promise<MintedKey>;
  /**
   * Ends a key; one that the provider does not know any more is ended too.
   * @throws CredentialRejected when the credential ends nothing any more: the key then ends by itself
   * @throws ProviderUnavailable
   */
  revoke(credential: string, key: { readonly keyId: string }, signal?: AbortSignal): Promise<void>;
  /**
   * Whether a key has spent the most that it was lent for, whatever is left of its account; false where the
   * provider knows no caps, or does not say.
   * @throws ProviderUnavailable
   */
  isSpent(accessKey: string, signal?: AbortSignal): Promise<boolean>;
  /** What it serves now. @throws ProviderUnavailable */
  servedModels(signal?: AbortSignal): Promise<readonly ServedModel[]>;
  /**
   * Sends a chat completion and answers as soon as the provider's headers are there.
   * @throws ProviderUnavailable when no answer came at all; a refusal is an answer
   */
  complete(completion: ChatCompletion): Promise<UpstreamAnswer>;
}

export interface MintTerms {
  /** Names the key at the provider. */
  readonly evalRunId: string;
  /** Unix milliseconds of wall time. */
  readonly expiresAtMs: number;
  /** The most that the key may spend, in the provider's currency; where the provider knows caps. */
  readonly spendLimit: number;
}

export interface MintedKey {
  /** What the provider accepts as Bearer. Secret. */
  readonly accessKey: string;
  /** How the provider calls it when it is to be ended. Secret where it equals the key itself. */
  readonly keyId: string;
  /** Unix milliseconds of wall time; never later than asked for. */
  readonly expiresAtMs: number;
  /** A provider may replace the credential with each use; the old one is then worth nothing. Secret. */
  readonly nextCredential: string | undefined;
}

export interface ServedModel {
  readonly modelId: string;
  readonly healthy: boolean;
  /** Share of its capacity in use, 0 to 1; null where the provider does not say. */
  readonly load: number | null;
  readonly latencyMs: number | null;
}

export interface ChatCompletion {
  readonly accessKey: string;
  /** The request's JSON text with the model's id as this provider writes it. */
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Of an answer that comes in one piece: long ones with every probability are a megabyte. Who sends more is broken. */
export const completionBytesMax = 8 * 1024 * 1024;

export interface UpstreamAnswer {
  readonly status: number;
  /** `application/json` or `text/event-stream`, as sent. */
  readonly contentType: string;
  /** Whole seconds of its Retry-After, where it sent one. */
  readonly retryAfterSeconds: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Whether an answer speaks of the provider alone: 5xx, a 408 that it ran out of time, a 425 that it wants
 * the same once more. What an account can bring about does not: neither a 429 nor a 409.
 */
export function isOutageStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425;
}

/** Whether what came in one piece, as 200, is a completion: gateways say so of errors as well, or of nothing. */
export function hasChoice(answer: unknown): boolean {
  const choices: unknown = Reflect.get(Object(answer), 'choices');
  return Array.isArray(choices) && choices.length > 0;
}

/** The provider says no to the miner's credential: it is wrong, ended, or out of credit. */
export class CredentialRejected extends Error {
  override name = 'CredentialRejected';
}

/**
 * No answer, a late one, or one that no other credential would mend: the provider's own trouble, or ours
 * with it. The credential may be good.
 */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable';
  /** Of the provider's answer; undefined where none came. */
  readonly status: number | undefined;

  constructor(
    message: string,
    { status, ...options }: ErrorOptions & { readonly status?: number } = {},
  ) {
    super(message, options);
    this.status = status;
  }
}
