import { z } from 'zod';

export const violation = z
  .object({
    rule: z.string(),
    category: z.string(),
    severity: z.enum(['error', 'warning']),
    message: z.string(),
    line: z.number().int(),
    column: z.number().int(),
    snippet: z.string(),
  })
  .meta({ id: 'Violation' });
