import { z } from 'zod';
import { authService } from '../../../../actors/services/auth/messages.ts';
import { sha256Hex } from '../../../../infra/ids/ids.ts';
import { refusal } from '../../../../machines/refusal.ts';
import { askService } from '../../ask-service.ts';
import { endpoint } from '../../endpoint.ts';

export const endSession = endpoint({
  method: 'post',
  path: '/v1/auth/logout',
  role: 'hotkey',
  owner: 'caller',
  summary: 'End the session that the Bearer token stands for',
  trafficClass: 1,
  response: z.object({ success: z.literal(true) }),
  faults: ['STORE_UNAVAILABLE', 'OWNER_UNAVAILABLE', 'OUTCOME_UNKNOWN'],

  async handle({ caller, context }, { bus, identity }) {
    const token = context.bearerToken;
    if (token === undefined) {
      throw refusal('MISSING_CREDENTIALS', {
        next: 'Send Authorization: Bearer with the session to end.',
      });
    }
    await askService(bus, authService, {
      type: 'end-session',
      body: { tokenSha256: sha256Hex(token) },
      id: context.commandId,
      account: caller.name,
    });
    identity.callers.forgetSession(token);
    return { success: true as const };
  },
});
