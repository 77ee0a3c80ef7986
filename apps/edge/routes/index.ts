import type { Endpoint } from '../endpoint.ts';
import { activateSuite } from './admin/activate-suite.ts';
import { advanceClock } from './admin/advance-clock.ts';
import { applyRejudging } from './admin/apply-rejudging.ts';
import { banHotkey } from './admin/ban-hotkey.ts';
import { cancelRace } from './admin/cancel-race.ts';
import { cancelRejudging } from './admin/cancel-rejudging.ts';
import { changePolicy } from './admin/change-policy.ts';
import { closeQualifying } from './admin/close-qualifying.ts';
import { createRejudging } from './admin/create-rejudging.ts';
import { createSuite } from './admin/create-suite.ts';
import { discardVersion } from './admin/discard-version.ts';
import { drainActor } from './admin/drain-actor.ts';
import { dropMessage } from './admin/drop-message.ts';
import { excludeRun } from './admin/exclude-run.ts';
import { includeRun } from './admin/include-run.ts';
import { listAuditLog } from './admin/list-audit-log.ts';
import { listCredentialKeys } from './admin/list-credential-keys.ts';
import { listParkedMessages } from './admin/list-parked-messages.ts';
import { listPartitions } from './admin/list-partitions.ts';
import { listRejudgings } from './admin/list-rejudgings.ts';
import { listSimilarities } from './admin/list-similarities.ts';
import { listStuck } from './admin/list-stuck.ts';
import { listTraces } from './admin/list-traces.ts';
import { listWebhooks } from './admin/list-webhooks.ts';
import { reclaimRun } from './admin/reclaim-run.ts';
import { registerWebhook } from './admin/register-webhook.ts';
import { reinstateVersion } from './admin/reinstate-version.ts';
import { removeRegistration } from './admin/remove-registration.ts';
import { removeWebhook } from './admin/remove-webhook.ts';
import { replayWebhook } from './admin/replay-webhook.ts';
import { resendMessage } from './admin/resend-message.ts';
import { setRegistration } from './admin/set-registration.ts';
import { showClock } from './admin/show-clock.ts';
import { showOverview } from './admin/show-overview.ts';
import { showPolicy } from './admin/show-policy.ts';
import { showRejudging } from './admin/show-rejudging.ts';
import { showSimilarity } from './admin/show-similarity.ts';
import { showTrace } from './admin/show-trace.ts';
import { showWebhook } from './admin/show-webhook.ts';
import { startRace } from './admin/start-race.ts';
import { unbanHotkey } from './admin/unban-hotkey.ts';
import { uploadPack } from './admin/upload-pack.ts';
import { endSession } from './auth/end-session.ts';
import { issueChallenge } from './auth/issue-challenge.ts';
import { openSession } from './auth/open-session.ts';
import { describeApi, showApi } from './health/describe-api.ts';
import { getDeepHealth } from './health/get-deep-health.ts';
import { getHealth } from './health/get-health.ts';
import { completeChat } from './inference/complete-chat.ts';
import { checkSubmission } from './miner/check-submission.ts';
import { chooseDefaultProvider } from './miner/choose-default-provider.ts';
import { connectProvider } from './miner/connect-provider.ts';
import { disconnectProvider } from './miner/disconnect-provider.ts';
import { listAgentVersions } from './miner/list-agent-versions.ts';
import { listAgents } from './miner/list-agents.ts';
import { listCredentials } from './miner/list-credentials.ts';
import { pinVersion } from './miner/pin-version.ts';
import { rotateCredential } from './miner/rotate-credential.ts';
import { showCredential } from './miner/show-credential.ts';
import { showLegacyCredential } from './miner/show-legacy-credential.ts';
import { storeLegacyCredential } from './miner/store-legacy-credential.ts';
import { submitAgent } from './miner/submit-agent.ts';
import { unpinVersion } from './miner/unpin-version.ts';
import { followEvents } from './public/follow-events.ts';
import { listModels } from './public/list-models.ts';
import { listPastRaces } from './public/list-past-races.ts';
import { listPendingEvaluations } from './public/list-pending-evaluations.ts';
import { listReigns } from './public/list-reigns.ts';
import { listRunningEvaluations } from './public/list-running-evaluations.ts';
import { listSuiteProblems } from './public/list-suite-problems.ts';
import { listSuites } from './public/list-suites.ts';
import { listValidators } from './public/list-validators.ts';
import { listVersionProblems } from './public/list-version-problems.ts';
import { listVersionRuns } from './public/list-version-runs.ts';
import { presignArtifactDownload } from './public/presign-artifact-download.ts';
import { showCurrentRace } from './public/show-current-race.ts';
import { showCurrentSuite } from './public/show-current-suite.ts';
import { showEpisodeFeedback } from './public/show-episode-feedback.ts';
import { showLeaderboard } from './public/show-leaderboard.ts';
import { showRace } from './public/show-race.ts';
import { showRaceBundle } from './public/show-race-bundle.ts';
import { showReleasedVersion } from './public/show-released-version.ts';
import { showRun } from './public/show-run.ts';
import { showTop } from './public/show-top.ts';
import { showTopPayout } from './public/show-top-payout.ts';
import { showValidatorVariance } from './public/show-validator-variance.ts';
import { showVersionStatus } from './public/show-version-status.ts';
import { appendEpisodeResults } from './validator/append-episode-results.ts';
import { claimWork } from './validator/claim-work.ts';
import { completeRun } from './validator/complete-run.ts';
import { fetchPack } from './validator/fetch-pack.ts';
import { fetchRacePack } from './validator/fetch-race-pack.ts';
import { listRunProblems } from './validator/list-run-problems.ts';
import { presignEpisodeArtifact } from './validator/presign-episode-artifact.ts';
import { presignLogUpload } from './validator/presign-log-upload.ts';
import { recordProgress } from './validator/record-progress.ts';
import { releaseRun } from './validator/release-run.ts';
import { sendHeartbeat } from './validator/send-heartbeat.ts';
import { showStandings } from './validator/show-standings.ts';

/** Every route of the service: the table of contents. */
export const endpoints: readonly Endpoint[] = [
  getHealth,
  getDeepHealth,
  describeApi(() => endpoints),
  showApi,

  issueChallenge,
  openSession,
  endSession,

  listSuites,
  showCurrentSuite,
  listSuiteProblems,
  showLeaderboard,
  showTop,
  listReigns,
  showTopPayout,
  showRaceBundle,
  showReleasedVersion,
  showVersionStatus,
  listVersionRuns,
  listVersionProblems,
  showRun,
  presignArtifactDownload,
  showEpisodeFeedback,
  listModels,
  listValidators,
  listRunningEvaluations,
  listPendingEvaluations,
  // Before the one race by its id, which would take these words for one.
  showCurrentRace,
  listPastRaces,
  showRace,
  showValidatorVariance,
  followEvents,

  submitAgent,
  checkSubmission,
  listAgents,
  listAgentVersions,
  pinVersion,
  unpinVersion,
  listCredentials,
  // Before the one of a provider, which would take this word for one.
  chooseDefaultProvider,
  showCredential,
  connectProvider,
  disconnectProvider,
  rotateCredential,
  showLegacyCredential,
  storeLegacyCredential,

  completeChat,

  claimWork,
  sendHeartbeat,
  listRunProblems,
  recordProgress,
  appendEpisodeResults,
  presignEpisodeArtifact,
  presignLogUpload,
  completeRun,
  releaseRun,
  fetchPack,
  fetchRacePack,
  showStandings,

  uploadPack,
  createSuite,
  activateSuite,
  banHotkey,
  unbanHotkey,
  closeQualifying,
  startRace,
  cancelRace,
  discardVersion,
  reinstateVersion,
  showSimilarity,
  listSimilarities,
  excludeRun,
  includeRun,
  reclaimRun,
  createRejudging,
  listRejudgings,
  showRejudging,
  applyRejudging,
  cancelRejudging,
  showPolicy,
  changePolicy,
  setRegistration,
  removeRegistration,
  listPartitions,
  listStuck,
  listParkedMessages,
  resendMessage,
  dropMessage,
  listTraces,
  showTrace,
  drainActor,
  showOverview,
  listAuditLog,
  registerWebhook,
  listWebhooks,
  listCredentialKeys,
  showWebhook,
  removeWebhook,
  replayWebhook,
  showClock,
  advanceClock,
];
