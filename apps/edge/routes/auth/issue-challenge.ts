import { z } from 'zod';
import { authService } from '../../../../actors/services/auth/messages.ts';
import { randomHex, sha256Hex } from '../../../../infra/ids/ids.ts';
import { askService } from '../../ask-service.ts';
import { endpoint } from '../../endpoint.ts';
import { hotkey } from '../../wire/hotkey.ts';

const nonceBytes = 16;

export const issueChallenge = endpoint({
  method: 'post',
  path: '/v1/auth/challenge',
  role: 'public',
  owner: 'nobody',
  summary: 'Get a text to sign for a session',
  trafficClass: 1,
  ownRate: 'challenge',
  body: z.object({ hotkey }),
  response: z.object({ challenge: z.string(), expires_at: z.number().int() }),
  faults: ['RATE_LIMITED', 'STORE_UNAVAILABLE', 'OWNER_UNAVAILABLE', 'OUTCOME_UNKNOWN'],

  async handle({ body, context }, { bus, config, time }) {
    const issuedSeconds = Math.floor(time.nowMs() / 1000);
    const challenge = `paddock-auth:${issuedSeconds}:${randomHex(nonceBytes)}`;
    const { expiresAtMs } = await askService(bus, authService, {
      type: 'keep-challenge',
      body: {
        challengeSha256: sha256Hex(challenge),
        hotkey: body.hotkey,
        lifetimeSeconds: config.challengeSeconds,
      },
      id: context.commandId,
      account: body.hotkey,
    });
    return { challenge, expires_at: Math.floor(expiresAtMs / 1000) };
  },
});
