import { z } from 'zod';
import { textOfReason } from '../../../machines/reasons/reason-kinds.ts';

/**
 * Why an operator did it, for the audit log. That of a discard, of an excluded run and of a cancelled race
 * is shown to everybody as well, and told to webhooks.
 */
export const requiredReason = z.string().trim().min(1).max(1000);

/**
 * Of an exclusion: what is decided by its reason goes by these codes alone. A run that is `INCOMPLETE` calls
 * for a pause of its validator and is never included again, which an operator's words must not bring about.
 */
export const exclusionReason = requiredReason.refine(
  (text) => textOfReason('exclusion_reason', text) === undefined,
  'must be your own words: the service itself says by this code why a run does not count',
);

export const reason = z.string().trim().max(1000).nullable().optional();

/** Where the body is a file. */
export const reasonQuery = z.object({ reason: z.string().trim().max(1000).optional() });

/** Mutations without other fields may come without a body. */
export const reasonBody = z.object({ reason }).nullable().optional();
