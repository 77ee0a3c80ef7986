import { z } from 'zod';
import type { ServiceContract } from '../messages.ts';

const whole = z.number().int();

/** Moves a simulated clock; there is no such service where the clock is real. */
export const clockService = {
  name: 'clock',
  messages: {
    /** How far a process is that may not write itself; answers how far the clock is. */
    report: {
      request: z.object({
        process: z.string(),
        incarnation: z.string().nullable(),
        offsetUs: whole,
        round: whole,
        isIdle: z.boolean(),
        nextDueMs: z.number().nullable(),
        partitions: whole,
        epochSum: whole,
      }),
      reply: z.object({ offsetUs: whole, round: whole }),
    },
    /**
     * Brings the clock nearer to the target for about a second, from each instant at which something
     * is due to the next. Asked again until it is done.
     */
    drive: {
      request: z.object({ targetMs: z.number() }),
      reply: z.object({
        isDone: z.boolean(),
        nowMs: z.number(),
        /** What it waits for, where it could not go on. */
        waitsFor: z.string().nullable(),
      }),
    },
  },
} as const satisfies ServiceContract;
