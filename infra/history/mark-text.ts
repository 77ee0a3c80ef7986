import { z } from 'zod';
import type { Mark } from '../ports/history.ts';

const mark = z.object({
  genesis: z.string(),
  branch: z.number().int(),
  seq: z.number().int(),
  hash: z.string(),
  atMs: z.number(),
});

/** As it is kept outside of the database. */
export function textOfMark({ genesis, branch, seq, hash, atMs }: Mark): string {
  return `${JSON.stringify({ genesis, branch, seq, hash, atMs })}\n`;
}

export function markOfText(text: string): Mark {
  return mark.parse(JSON.parse(text));
}
