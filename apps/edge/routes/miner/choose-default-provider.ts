import { z } from 'zod';
import { credentialsService } from '../../../../actors/services/credentials/messages.ts';
import { askService } from '../../ask-service.ts';
import { endpoint } from '../../endpoint.ts';
import { providerInField, providerName, providerNameOf } from '../../wire/provider.ts';

export const chooseDefaultProvider = endpoint({
  method: 'patch',
  path: '/v1/miner/inference-auth/default',
  role: 'miner',
  owner: 'caller',
  summary: "Choose the connected provider that serves the miner's next runs",
  trafficClass: 1,
  body: z.object({ provider: providerName }),
  response: z.object({ default_provider: z.string() }).meta({ id: 'DefaultProvider' }),
  faults: ['DEFAULT_NOT_CONNECTED', 'OUTCOME_UNKNOWN', 'STORE_UNAVAILABLE'],

  async handle({ caller, body, context }, { bus, config }) {
    const provider = providerInField(body.provider, ['body', 'provider'], config);
    const chosen = await askService(bus, credentialsService, {
      type: 'set-default',
      body: { hotkey: caller.name, provider },
      id: context.commandId,
      account: caller.name,
    });
    return { default_provider: providerNameOf(chosen.provider, config) };
  },
});
