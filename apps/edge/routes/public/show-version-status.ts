import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { racedVersionById } from '../../reads/agent-versions.ts';
import { milestonesOf } from '../../reads/milestones.ts';
import { selectionOf } from '../../reads/selection.ts';
import { timelineOf } from '../../reads/timeline.ts';
import { outcomesOfVersion } from '../../reads/version-outcomes.ts';
import { waitingOf } from '../../reads/waiting.ts';
import { formatInstant, formatInstantOrNull, instant } from '../../wire/instant.ts';
import { selectionOfVersion, whyNoPin, whyNotPinnable } from '../../wire/race-selection.ts';
import { reasonField } from '../../wire/reason-field.ts';
import { scoreOfNumeric, scoreOut } from '../../wire/score.ts';
import { timelineEntry, toTimeline } from '../../wire/timeline.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';
import { publicAgentFailures } from '../../wire/version-faults.ts';
import { toWaiting, waiting } from '../../wire/waiting.ts';

const versionStatus = z
  .object({
    agent_version_id: uuidOut,
    agent_id: uuidOut,
    agent_name: z.string(),
    miner_hotkey: z.string(),
    version_number: z.number().int(),
    suite_id: z.number().int(),
    submitted_at: instant,
    state: z.string(),
    qualifying_score: scoreOut.nullable(),
    final_score: scoreOut.nullable(),
    eligible_at: instant.nullable(),
    eliminated_at: instant.nullable(),
    eliminated_in_race_number: z.number().int().nullable(),
    is_miner_banned: z.boolean(),
    is_active_qualifier: z.boolean(),
    is_pinnable: z.boolean(),
    pin_disabled_reason: whyNotPinnable,
    selection_fallback_reason: whyNoPin,
    discard_reason: reasonField(
      'discard_reason',
      'Why it was discarded or cancelled',
      'or an operator’s words',
    ),
    included_success_count: z.number().int(),
    required_successes: z.number().int(),
    live_run_count: z.number().int(),
    failed_run_count: z.number().int(),
    stale_run_count: z.number().int(),
    consecutive_agent_failures: z.number().int(),
    waiting,
    timeline: z.array(timelineEntry),
  })
  .meta({ id: 'AgentVersionStatus' });

export const showVersionStatus = endpoint({
  method: 'get',
  path: '/v1/public/agent-versions/{agent_version_id}/status',
  role: 'public',
  owner: 'nobody',
  summary: 'Where an agent version is, why, and what comes next',
  trafficClass: 2,
  cache: liveRead,
  params: z.object({ agent_version_id: uuid }),
  response: versionStatus,
  faults: ['AGENT_VERSION_NOT_FOUND'],

  async handle({ params }, { sql, pace }) {
    const version = await racedVersionById(sql, params.agent_version_id);
    if (version === undefined) throw refusal('AGENT_VERSION_NOT_FOUND');
    const [timeline, milestones, outcomes, selection, open, throughput] = await Promise.all([
      timelineOf(sql, version.agentVersionId),
      // Without a race there is none that seals a run, nor any that says something of the version.
      version.isOfRaces ? milestonesOf(sql, version.agentVersionId) : [],
      version.isOfRaces ? outcomesOfVersion(sql, version.agentVersionId) : [],
      selectionOf(sql, version.minerHotkey),
      waitingOf(sql, version.agentVersionId),
      pace.throughput(),
    ]);
    const { isSelected, fallbackReason, disabledReason } = selectionOfVersion(selection, version);
    return {
      agent_version_id: version.agentVersionId,
      agent_id: version.agentId,
      agent_name: version.agentName,
      miner_hotkey: version.minerHotkey,
      version_number: version.versionNumber,
      suite_id: version.suiteId,
      submitted_at: formatInstant(version.submittedAt),
      state: version.state,
      qualifying_score: scoreOfNumeric(version.qualifyingScore),
      final_score: scoreOfNumeric(version.finalScore),
      eligible_at: formatInstantOrNull(version.eligibleAt),
      eliminated_at: formatInstantOrNull(version.eliminatedAt),
      eliminated_in_race_number: version.eliminatedInRaceNumber,
      is_miner_banned: version.isMinerBanned,
      is_active_qualifier: isSelected,
      is_pinnable: disabledReason === null && !version.isMinerBanned,
      pin_disabled_reason: disabledReason,
      selection_fallback_reason: fallbackReason,
      discard_reason: version.discardReason,
      included_success_count: version.includedSuccessCount,
      required_successes: version.requiredSuccesses,
      live_run_count: version.liveRunCount,
      failed_run_count: version.failedRunCount,
      stale_run_count: version.staleRunCount,
      consecutive_agent_failures: publicAgentFailures(version, outcomes),
      waiting: toWaiting(open, throughput),
      timeline: toTimeline(timeline, milestones),
    };
  },
});
