import { z } from 'zod';

/**
 * Why an operator did it, for the audit log. That of a discard, of an excluded run and of a cancelled race
 * is shown to everybody as well, and told to webhooks.
 */
export const requiredReason = z.string().trim().min(1).max(1000);
export const reason = z.string().trim().max(1000).nullable().optional();

/** Where the body is a file. */
export const reasonQuery = z.object({ reason: z.string().trim().max(1000).optional() });

/** Mutations without other fields may come without a body. */
export const reasonBody = z.object({ reason }).nullable().optional();
