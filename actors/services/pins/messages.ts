import { z } from 'zod';
import type { ServiceContract } from '../messages.ts';

/** Which of the miner's versions would race now, after the change. */
const selection = z.object({
  racing: z.object({ agentVersionId: z.guid(), agentId: z.guid() }).nullable(),
});

/**
 * A miner's choice of the version that races; it stays over submissions and races. Refusals:
 * NO_ACTIVE_SUITE, BANNED, RACE_LOCKED, and of a pin AGENT_VERSION_NOT_FOUND, NOT_PINNABLE.
 */
export const pinsService = {
  name: 'pins',
  messages: {
    pin: { request: z.object({ hotkey: z.string(), agentVersionId: z.guid() }), reply: selection },
    unpin: { request: z.object({ hotkey: z.string() }), reply: selection },
  },
} as const satisfies ServiceContract;
