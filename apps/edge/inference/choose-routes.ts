import { type ProviderId, providerIds, type ServedModel } from '../../../infra/ports/inference.ts';
import type { Fault } from '../../../machines/fault.ts';
import { glimpse, refusal } from '../../../machines/refusal.ts';
import { type Allowlist, allowedModel } from './allowlist.ts';

/** Whom to ask, and what the model is called there. */
export interface Route {
  readonly provider: ProviderId;
  readonly modelId: string;
}

export interface RouteChoice {
  /** The provider that the request names. */
  readonly active: ProviderId;
  /** As the agent wrote it. */
  readonly model: string;
  readonly allowlistOf: (provider: ProviderId) => Allowlist;
  readonly connected: ReadonlySet<ProviderId>;
  /** Those whose URL this process has. */
  readonly inUse: Pick<ReadonlySet<ProviderId>, 'has'>;
  /** Undefined where no look was ever good. */
  readonly servedBy: (provider: ProviderId) => readonly ServedModel[] | undefined;
}

/**
 * The active provider where it serves the model, then any other that may stand in for it: the miner
 * has it connected, it allows the same model and serves it. What nobody has looked at yet is tried.
 *
 * @throws MODEL_NOT_ALLOWED, NOT_CONNECTED, PROVIDER_UNAVAILABLE when nobody serves it now, or the active one
 *   is not in use
 */
export function chooseRoutes(choice: RouteChoice): readonly [Route, ...Route[]] {
  const { active, allowlistOf, connected, inUse } = choice;
  const allowlist = allowlistOf(active);
  const modelId = allowedModel(choice.model, allowlist);
  if (connected.has(active) && !inUse.has(active)) {
    const standIns = routesBeside(choice);
    if (isSome(standIns)) return standIns;
    // Where nobody keeps a list, nothing stands outside of it.
    if (modelId !== undefined || allowlist.models.length === 0) throw notInUse();
  }
  if (modelId === undefined) {
    throw refusal('MODEL_NOT_ALLOWED', {
      says: `The model ${glimpse(choice.model)} is not on the allowlist.`,
      extras: {
        allowed_models: allowlist.models,
      },
    });
  }
  if (!connected.has(active)) {
    throw refusal('NOT_CONNECTED', {
      says: 'The miner of this agent has not connected this provider.',
      next: 'Go on without it, or ask another provider.',
    });
  }
  const inOrder = [active, ...providerIds.filter((id) => id !== active)];
  const routes = inOrder
    .filter((id) => connected.has(id) && inUse.has(id) && serves(choice, id, modelId))
    .map((provider) => ({ provider, modelId }));
  if (!isSome(routes)) throw servedByNobody();
  return routes;
}

/** In place of an active provider that is off: who else is asked knows the model by its own list. */
function routesBeside(choice: RouteChoice): readonly Route[] {
  const { allowlistOf, connected, inUse, model } = choice;
  return providerIds.flatMap((provider) => {
    if (!connected.has(provider) || !inUse.has(provider)) return [];
    const modelId = allowedModel(model, allowlistOf(provider));
    return modelId !== undefined && serves(choice, provider, modelId)
      ? [{ provider, modelId }]
      : [];
  });
}

function isSome(routes: readonly Route[]): routes is readonly [Route, ...Route[]] {
  return routes.length > 0;
}

export function servedByNobody(): Fault {
  return refusal('PROVIDER_UNAVAILABLE', { says: 'No connected provider serves this model now.' });
}

/**
 * The operator's doing, which a validator is to lay at no agent's door. It is no outage either: it
 * lasts, and whoever stays with such a provider could have runs made void at will (decision record 78).
 */
export function notInUse(): Fault {
  return refusal('PROVIDER_UNAVAILABLE', {
    says: 'This service has no address of the provider now.',
    next: 'Its miner connects another one and makes it the default.',
  });
}

function serves(choice: RouteChoice, provider: ProviderId, modelId: string): boolean {
  if (!choice.allowlistOf(provider).models.includes(modelId)) return false;
  const served = choice.servedBy(provider);
  return served === undefined || served.some((model) => model.modelId === modelId);
}
