import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { passedStatuses } from '../../inference/pass-refusal.ts';
import { completionBody } from '../../inference/upstream-body.ts';
import { providerInPath, providerName } from '../../wire/provider.ts';

/** The provider's own words; `text/event-stream` where the body says `stream: true`. */
const completion = z.looseObject({}).meta({ id: 'ChatCompletion' });

export const completeChat = endpoint({
  method: 'post',
  path: '/v1/inference/{provider}/chat/completions',
  role: 'run',
  owner: 'caller',
  summary: "Ask a language model, as the agent of a live run with the claim's inference token",
  trafficClass: 1,
  budget: 'inference',
  bodyLimit: 'inference',
  params: z.object({ provider: providerName }),
  body: completionBody,
  response: completion,
  alsoAs: 'text/event-stream',
  alsoUnder: passedStatuses,
  faults: [
    'UNKNOWN_PROVIDER',
    'MODEL_NOT_ALLOWED',
    'NOT_CONNECTED',
    'CREDENTIAL_REJECTED',
    'PROVIDER_UNAVAILABLE',
    'RATE_LIMITED',
    'SPEND_LIMIT_REACHED',
  ],

  admit({ caller, params }, { config, inference }) {
    providerInPath(params.provider, config);
    return inference.slots.take(caller.name);
  },

  async handle({ caller, params, body, context }, { config, inference }) {
    return await inference.proxy.begin({
      evalRunId: caller.name,
      active: providerInPath(params.provider, config),
      ...{ body, requestId: context.commandId, gone: context.signal },
    });
  },
});
