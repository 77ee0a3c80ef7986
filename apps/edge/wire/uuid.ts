import { z } from 'zod';

export const uuidText = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/**
 * Any 8-4-4-4-12 hex text, whatever its version says: an id that we never gave out is unknown, not
 * malformed. Upper case means the same object; braces, urn: and missing hyphens are refused.
 */
export const uuid = z
  .string()
  .regex(uuidText, 'must be a UUID')
  .toLowerCase()
  .meta({ override: { type: 'string', format: 'uuid' } });

/** In answers, where the database wrote it. */
export const uuidOut = z.string().meta({ override: { type: 'string', format: 'uuid' } });
