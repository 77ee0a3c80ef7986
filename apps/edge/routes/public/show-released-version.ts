import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { requireReleasedCode } from '../../artifacts/released-code.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { raceScoresOf, versionDetails } from '../../reads/released-versions.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { hasPublicResult } from '../../wire/race.ts';
import { scoreOfNumeric, scoreOut } from '../../wire/score.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

const releasedVersion = z
  .object({
    agent_version_id: uuidOut,
    agent_id: uuidOut,
    agent_name: z.string(),
    miner_hotkey: z.string(),
    version_number: z.number().int(),
    submitted_at: instant,
    state: z.string(),
    final_score: scoreOut.nullable(),
    race_scores: z.array(
      z.object({
        race_id: uuidOut,
        race_number: z.number().int(),
        race_score: scoreOut.nullable(),
        weighted_score: scoreOut.nullable(),
      }),
    ),
    released_at: instant,
    release_reason: z.enum(['TOP', 'AGED']),
    code_sha256: z.string(),
    code_size_bytes: z.number().int(),
  })
  .meta({ id: 'ReleasedAgentVersion' });

export const showReleasedVersion = endpoint({
  method: 'get',
  path: '/v1/public/agent-versions/{agent_version_id}',
  role: 'public',
  owner: 'release',
  summary: 'A version whose code is public, with its scores in completed races',
  trafficClass: 2,
  cache: liveRead,
  params: z.object({ agent_version_id: uuid }),
  response: releasedVersion,
  faults: ['AGENT_VERSION_NOT_FOUND', 'ARTIFACT_NOT_RELEASED'],

  async handle({ params }, deps) {
    const id = params.agent_version_id;
    const code = await requireReleasedCode(id, deps);
    const [version, scores] = await Promise.all([
      versionDetails(deps.sql, id),
      raceScoresOf(deps.sql, id),
    ]);
    if (version === undefined) throw refusal('AGENT_VERSION_NOT_FOUND');
    return {
      agent_version_id: version.agentVersionId,
      agent_id: version.agentId,
      agent_name: version.agentName,
      miner_hotkey: version.minerHotkey,
      version_number: version.versionNumber,
      submitted_at: formatInstant(version.submittedAt),
      state: version.state,
      final_score: scoreOfNumeric(version.finalScore),
      race_scores: scores.filter(hasPublicResult).map((score) => ({
        race_id: score.raceId,
        race_number: score.raceNumber,
        race_score: scoreOfNumeric(score.raceScore),
        weighted_score: scoreOfNumeric(score.weightedScore),
      })),
      released_at: formatInstant(code.release.atMs),
      release_reason: code.release.reason,
      code_sha256: code.codeSha256,
      code_size_bytes: version.codeSizeBytes,
    };
  },
});
