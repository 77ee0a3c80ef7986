import { z } from 'zod';

/** Of a message between processes, as its sender named it. */
export const msgId = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[ -~]+$/, 'must be printable ASCII');
