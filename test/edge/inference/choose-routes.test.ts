import test from 'ava';
import { chooseRoutes, type RouteChoice } from '../../../apps/edge/inference/choose-routes.ts';
import type { ProviderId, ServedModel } from '../../../infra/ports/inference.ts';
import { Fault } from '../../../machines/fault.ts';

const served = (...ids: readonly string[]): readonly ServedModel[] =>
  ids.map((modelId) => ({ modelId, healthy: true, load: null, latencyMs: null }));

const allowlists = {
  providera: { models: ['one', 'two'], aliases: { first: 'one', odd: 'three' }, monitored: [] },
  providerb: { models: ['one', 'three'], aliases: { first: 'three' }, monitored: [] },
};

interface Case {
  readonly model?: string;
  readonly active?: ProviderId;
  readonly connected?: readonly ProviderId[];
  readonly inUse?: readonly ProviderId[];
  readonly servedBy?: Partial<Record<ProviderId, readonly ServedModel[]>>;
}

function chosen({ model = 'one', active = 'providera', connected, inUse, servedBy }: Case): string {
  const choice: RouteChoice = {
    ...{ active, model },
    allowlistOf: (id) => allowlists[id],
    connected: new Set(connected ?? ['providera', 'providerb']),
    inUse: new Set(inUse ?? ['providera', 'providerb']),
    servedBy: (id) => servedBy?.[id],
  };
  try {
    return chooseRoutes(choice)
      .map(({ provider, modelId }) => `${provider} ${modelId}`)
      .join(', ');
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

const cases: readonly (readonly [string, Case, string])[] = [
  ['the active provider comes first', {}, 'providera one, providerb one'],
  [
    'and nobody else where the other is not connected',
    { connected: ['providera'] },
    'providera one',
  ],
  ['nor where the other does not allow it', { model: 'two' }, 'providera two'],
  ['an alias is the active provider’s', { model: 'first', active: 'providerb' }, 'providerb three'],
  ['an alias for what is not allowed is nothing', { model: 'odd' }, 'MODEL_NOT_ALLOWED'],
  ['what only the other allows is refused', { model: 'three' }, 'MODEL_NOT_ALLOWED'],
  ['an object’s own words are no aliases', { model: 'toString' }, 'MODEL_NOT_ALLOWED'],
  [
    'what the active one does not serve goes to the other',
    { servedBy: { providera: served('two'), providerb: served('one') } },
    'providerb one',
  ],
  [
    'to nobody where the other does not serve it either',
    { servedBy: { providera: served('two'), providerb: served('three') } },
    'PROVIDER_UNAVAILABLE',
  ],
  [
    'nor where it is not connected',
    { servedBy: { providera: served('two') }, connected: ['providera'] },
    'PROVIDER_UNAVAILABLE',
  ],
  ['another stands in for one that is not in use', { inUse: ['providerb'] }, 'providerb one'],
  ['by its own names of models', { inUse: ['providerb'], model: 'first' }, 'providerb three'],
  [
    'which is away where no other has the model',
    { inUse: ['providerb'], model: 'two' },
    'PROVIDER_UNAVAILABLE',
  ],
  ['or is connected', { inUse: ['providerb'], connected: ['providera'] }, 'PROVIDER_UNAVAILABLE'],
  [
    'which is said of no model that may not be called',
    { inUse: ['providerb'], model: 'none' },
    'MODEL_NOT_ALLOWED',
  ],
  ['another that is not in use is not asked', { inUse: ['providera'] }, 'providera one'],
  [
    'what is neither connected nor in use is not connected',
    { connected: ['providerb'], inUse: ['providerb'] },
    'NOT_CONNECTED',
  ],
  ['the asked provider must be connected', { connected: ['providerb'] }, 'NOT_CONNECTED'],
  [
    'what may not be called is said first',
    { model: 'none', connected: ['providerb'] },
    'MODEL_NOT_ALLOWED',
  ],
];

for (const [title, given, expected] of cases) {
  test(title, (t) => t.is(chosen(given), expected));
}
