import { z } from 'zod';
import { instant, integer, text, uuid } from './atoms.ts';

// What operators are answered about similar files: every field, and no other.

const share = z.number().min(0).max(1);
const verdict = z.enum(['clean', 'suspicious', 'copy']);
const reasons = z.array(
  z.enum([
    'SAME_FILE',
    'MOST_IS_IN_EARLIER',
    'EARLIER_IS_INSIDE',
    'NOTHING_OF_ITS_OWN',
    'PART_IS_IN_EARLIER',
    'PART_OF_EARLIER_IS_INSIDE',
  ]),
);
const version = z.strictObject({
  agent_version_id: uuid,
  agent_name: text,
  version_number: integer,
  miner_hotkey: text,
  submitted_at: instant,
});

export const similarities = z.strictObject({
  total: integer,
  limit: integer,
  offset: integer,
  reports: z.array(
    version.extend({
      verdict,
      reasons,
      earlier_agent_version_id: uuid.nullable(),
      reported_at: instant,
    }),
  ),
});

export const similarity = version.extend({
  state: z.enum(['PENDING', 'REPORTED', 'UNREADABLE']),
  verdict: verdict.nullable(),
  reasons,
  common_share: share.nullable(),
  matches: z.array(
    version.extend({
      relation: z.enum(['OTHER', 'OWN']),
      verdict,
      reasons,
      is_same_file: z.boolean(),
      was_public: z.boolean(),
      share,
      source_share: share,
      plain_share: share,
      passages: z.array(
        z.strictObject({
          first_line: integer,
          last_line: integer,
          earlier_first_line: integer,
          earlier_last_line: integer,
        }),
      ),
    }),
  ),
  reported_at: instant.nullable(),
});
export type Similarity = z.infer<typeof similarity>;
