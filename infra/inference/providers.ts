import type { Clock } from '../ports/clock.ts';
import type { InferenceProvider, ProviderId } from '../ports/inference.ts';
import { createProviderA } from './provider-a.ts';
import { createProviderB } from './provider-b.ts';

export interface ProvidersOptions {
  /** Undefined: this service does not use it. */
  readonly provideraUrl: string | undefined;
  readonly providerbUrl: string | undefined;
  readonly clock: Clock;
  /** For everything but completions; a caller's signal may end it earlier. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 10_000;

/** The providers that the configuration names; one that it leaves out is missing here. */
export function createProviders({
  provideraUrl,
  providerbUrl,
  clock,
  timeoutMs = usualTimeoutMs,
}: ProvidersOptions): ReadonlyMap<ProviderId, InferenceProvider> {
  const at = (baseUrl: string) => ({ baseUrl, timeoutMs, clock });
  const providers = new Map<ProviderId, InferenceProvider>();
  if (provideraUrl !== undefined) providers.set('providera', createProviderA(at(provideraUrl)));
  if (providerbUrl !== undefined) providers.set('providerb', createProviderB(at(providerbUrl)));
  return providers;
}
