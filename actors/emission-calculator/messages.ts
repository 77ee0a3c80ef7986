import { z } from 'zod';

/** What the emission partition understands, over `cmd.emission.0`. */
export const emissionCommands = {
  /**
   * Makes the standings of an epoch unless they exist; the row in `epoch_standings` is the answer
   * that counts. Epochs before the newest one that has standings are never made. Refusal:
   * CHAIN_UNAVAILABLE for one that it cannot be by now.
   */
  'make-standings': {
    request: z.object({ epochIndex: z.number().int().min(0) }),
    reply: z.object({ epochIndex: z.number().int() }),
  },
} as const;
