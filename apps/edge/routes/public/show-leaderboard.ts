import { z } from 'zod';
import type { LeaderboardRow } from '../../board/leaderboard-row.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { challengeOf } from '../../wire/challenge.ts';
import { formatInstant, formatInstantOrNull, instant } from '../../wire/instant.ts';
import { idText } from '../../wire/integer.ts';
import { pageQuery } from '../../wire/page.ts';
import { scoreOfNumeric, scoreOut } from '../../wire/score.ts';
import { suite, toSuite } from '../../wire/suite.ts';
import { uuidOut } from '../../wire/uuid.ts';

const entry = z.object({
  rank: z.number().int(),
  agent_version_id: uuidOut,
  agent_name: z.string(),
  miner_hotkey: z.string(),
  version_number: z.number().int(),
  state: z.string(),
  final_score: scoreOut.nullable(),
  qualifying_score: scoreOut.nullable(),
  race_score: scoreOut.nullable(),
  weighted_score: scoreOut.nullable(),
  score_low: scoreOut.nullable(),
  score_high: scoreOut.nullable(),
  eligible_at: instant,
  is_discarded: z.boolean(),
  is_miner_banned: z.boolean(),
  is_current_top: z.boolean(),
  was_top: z.boolean(),
  top_at: instant.nullable(),
  is_active_qualifier: z.boolean(),
  outranked_by_agent_version_id: uuidOut.nullable(),
  eliminated_at: instant.nullable(),
});

const leaderboard = z
  .object({
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
    suite: suite.nullable(),
    entries: z.array(entry),
    unique_miners: z.number().int(),
    agents_submitted_24h: z.number().int(),
    challenge_threshold: scoreOut.nullable(),
  })
  .meta({ id: 'Leaderboard' });

/** @param racing who races now, or would, by hotkey */
function toEntry(row: LeaderboardRow, racing: ReadonlyMap<string, string>): z.infer<typeof entry> {
  const chosen = racing.get(row.minerHotkey) ?? null;
  return {
    rank: row.rank,
    agent_version_id: row.agentVersionId,
    agent_name: row.agentName,
    miner_hotkey: row.minerHotkey,
    version_number: row.versionNumber,
    state: row.state,
    final_score: row.finalScore,
    qualifying_score: row.qualifyingScore,
    race_score: row.raceScore,
    weighted_score: row.weightedScore,
    score_low: row.scoreLow,
    score_high: row.scoreHigh,
    eligible_at: formatInstant(row.eligibleAt),
    is_discarded: row.state === 'DISCARDED',
    is_miner_banned: row.isMinerBanned,
    is_current_top: row.isCurrentTop,
    was_top: row.wasTop,
    top_at: formatInstantOrNull(row.topAt),
    is_active_qualifier: chosen === row.agentVersionId,
    outranked_by_agent_version_id: chosen === row.agentVersionId ? null : chosen,
    eliminated_at: formatInstantOrNull(row.eliminatedAt),
  };
}

/** Before any suite is active. */
const emptyBoard = {
  total: 0,
  suite: null,
  entries: [],
  unique_miners: 0,
  agents_submitted_24h: 0,
  challenge_threshold: null,
};

export const showLeaderboard = endpoint({
  method: 'get',
  path: '/v1/public/leaderboard',
  role: 'public',
  owner: 'nobody',
  summary: 'Eligible agent versions of a suite, best first',
  trafficClass: 2,
  cache: liveRead,
  query: z.object({
    suite_id: idText.optional(),
    score_type: z.enum(['qualifying', 'race']).default('qualifying'),
    ...pageQuery({ limitMax: 500, limitDefault: 100 }),
    q: z
      .string()
      .refine((text) => [...text].length <= 64, { error: 'must have at most 64 characters' })
      .meta({ maxLength: 64 })
      .optional(),
  }),
  response: leaderboard,
  faults: ['SUITE_NOT_FOUND'],

  async handle({ query }, { boards }) {
    const { limit, offset, suite_id: suiteId, score_type: by } = query;
    // A blank at either end of more than blanks is part of the name that is looked for.
    const search = query.q?.trim() ? query.q : undefined;
    const shown = await boards.read({ suiteId, by, limit, offset, search });
    if (shown === undefined) return { ...emptyBoard, limit, offset };
    const { suite: of, top } = shown;
    return {
      total: shown.total,
      limit,
      offset,
      suite: toSuite(of),
      entries: shown.rows.map((row) => toEntry(row, shown.racing)),
      unique_miners: shown.uniqueMiners,
      agents_submitted_24h: shown.submitted24h,
      challenge_threshold:
        top.suiteId === of.suiteId ? scoreOfNumeric(challengeOf(top)?.threshold ?? null) : null,
    };
  },
});
