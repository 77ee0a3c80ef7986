import { z } from 'zod';
import { qualificationTypes } from '../../../machines/race/field.ts';
import type { QualifierRow } from '../reads/qualifiers.ts';
import { formatInstantOrNull, instant } from './instant.ts';
import { reasonField } from './reason-field.ts';
import { scoreOfNumeric, scoreOut } from './score.ts';
import { uuidOut } from './uuid.ts';

const slot = z.object({
  race_id: uuidOut,
  race_number: z.number().int(),
  raw_score: scoreOut.nullable(),
  anchor: scoreOut,
  delta: z.number(),
  is_seed: z.boolean(),
});

export const qualifier = z
  .object({
    agent_version_id: uuidOut,
    agent_name: z.string(),
    miner_hotkey: z.string(),
    version_number: z.number().int(),
    qualification_type: z.enum(qualificationTypes),
    qualifying_score: scoreOut.nullable(),
    race_score: scoreOut.nullable(),
    weighted_score: z.number().nullable(),
    race_rank: z.number().int().nullable(),
    eliminated_at: instant.nullable(),
    is_discarded: z.boolean(),
    unfinished_reason: reasonField(
      'unfinished_reason',
      'Why it has no score in a race that is over',
    ),
    window: z.array(slot).nullable(),
  })
  .meta({ id: 'Qualifier' });

/** Stored with exact decimals as texts. */
const storedWindow = z
  .array(
    slot.extend({
      raw_score: z.coerce.number().nullable(),
      anchor: z.coerce.number(),
      delta: z.coerce.number(),
    }),
  )
  .nullable();

/** @param isDecided whether the results of the race are public */
export function toQualifier(row: QualifierRow, isDecided: boolean): z.infer<typeof qualifier> {
  return {
    agent_version_id: row.agentVersionId,
    agent_name: row.agentName,
    miner_hotkey: row.minerHotkey,
    version_number: row.versionNumber,
    qualification_type: row.qualificationType,
    qualifying_score: scoreOfNumeric(row.qualifyingScore),
    race_score: isDecided ? scoreOfNumeric(row.raceScore) : null,
    weighted_score: isDecided ? scoreOfNumeric(row.weightedScore) : null,
    race_rank: isDecided ? row.raceRank : null,
    eliminated_at: isDecided ? formatInstantOrNull(row.eliminatedAt) : null,
    is_discarded: row.isDiscarded,
    unfinished_reason: isDecided ? row.unfinishedReason : null,
    window: isDecided ? storedWindow.parse(row.window) : null,
  };
}
