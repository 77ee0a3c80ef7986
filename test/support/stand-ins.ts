import { randomBytes } from 'node:crypto';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { demoModels } from '../../infra/inference/embedded/demo-models.ts';
import { startStandIn } from '../../infra/inference/embedded/stand-in.ts';
import type { ProviderId } from '../../infra/ports/inference.ts';

/** A stand-in of each provider with the demo's models, on a port of its own. */
export async function startStandIns(options: { readonly secret?: string } = {}) {
  const { secret = randomBytes(16).toString('hex') } = options;
  const start = (provider: ProviderId) =>
    startStandIn({
      ...{ provider, secret, clock: systemClock },
      models: demoModels[provider].served,
    });
  const [providera, providerb] = await Promise.all([start('providera'), start('providerb')]);
  return {
    providera,
    providerb,
    stop: async () => {
      await Promise.all([providera.stop(), providerb.stop()]);
    },
  };
}
