import { z } from 'zod';
import { submitVersionReply } from '../../../../actors/lease-manager/messages.ts';
import { sha256Hex, uuidV5 } from '../../../../infra/ids/ids.ts';
import { evalPartitionOf } from '../../../../machines/partition-of.ts';
import { refusal } from '../../../../machines/refusal.ts';
import type { EdgeDeps } from '../../deps.ts';
import { type EndpointRequest, endpoint, type RequestContext } from '../../endpoint.ts';
import { codeKey } from '../../evaluation/object-keys.ts';
import { askOwner, idempotentId } from '../../evaluation/owner.ts';
import { cooldownOf, submittedAt } from '../../reads/agent-versions.ts';
import { isRememberedKey, type KeyedCommand, keyedCommand } from '../../reads/idempotency.ts';
import type { SuiteRow } from '../../reads/suites.ts';
import type { Analyse } from '../../submission/analysis-turns.ts';
import { readUpload, requireActiveSuite, requireCleanCode } from '../../submission/checks.ts';
import { type SubmittedFile, submissionForm } from '../../submission/multipart.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { uuidOut } from '../../wire/uuid.ts';

// Ids follow from what they name, so that a repeated command names the same agent and version.
const agentNamespace = 'b5f2c8a0-6d0e-5d7c-9a4b-1f3e5d7c9b11';
const versionNamespace = '2d9c1f7e-8a34-5b60-8c2d-7e4f1a6b3c22';

const submissionResult = z
  .object({
    agent_id: uuidOut,
    agent_version_id: uuidOut,
    admission_status: z.enum(['ACCEPTED', 'REJECTED']),
    admission_reason: z
      .enum(['COOLDOWN', 'CODE_ANALYSIS', 'INVALID_FILE', 'NO_ACTIVE_SUITE'])
      .nullable(),
    next_allowed_at: instant,
    hotkey: z.string(),
    message: z.string(),
  })
  .meta({ id: 'SubmissionResult' });

/** Asked before the upload, too: beyond the limit it is not even read. */
async function suiteFor(hotkey: string, deps: EdgeDeps): Promise<SuiteRow> {
  await deps.rejections.requireBelowLimit(hotkey);
  return await requireActiveSuite(deps);
}

/** A cheap look before the file is analysed; the commit decides under the miner row's lock. */
async function requireNoCooldown(hotkey: string, { sql }: EdgeDeps): Promise<void> {
  const { nextAllowedAt, remainingSeconds } = await cooldownOf(sql, hotkey);
  if (nextAllowedAt === null) return;
  const allowedAt = formatInstant(nextAllowedAt);
  throw refusal('COOLDOWN_ACTIVE', {
    says: `Your next submission is allowed at ${allowedAt}, in ${remainingSeconds} s.`,
    extras: {
      remaining_seconds: Math.max(1, remainingSeconds),
      next_allowed_at: allowedAt,
    },
  });
}

/** The id of the submission, and the first answer under its key, where it has one. */
async function commandOf(
  context: RequestContext,
  { agentName, file }: SubmittedFile,
  deps: EdgeDeps,
): Promise<KeyedCommand> {
  const id = idempotentId(context, [agentName, sha256Hex(file)]);
  if (context.idempotencyKey === undefined) return { id, before: undefined };
  return await keyedCommand(deps, id, (sql, commandId) =>
    submittedAt(sql, uuidV5(versionNamespace, commandId)),
  );
}

interface Admitted {
  readonly id: string;
  readonly upload: SubmittedFile;
  readonly suiteId: number;
}

/** The file goes to the object store first; the command carries only its hash. */
async function admit(
  { caller, context }: EndpointRequest,
  { id, upload, suiteId }: Admitted,
  deps: EdgeDeps,
) {
  const codeSha256 = sha256Hex(upload.file);
  await deps.objects.putOnce(codeKey(codeSha256), upload.file, {
    contentType: 'text/x-python',
    sha256: codeSha256,
  });
  const agentVersionId = uuidV5(versionNamespace, id);
  return await askOwner(
    deps.bus,
    {
      type: 'submit-version',
      part: evalPartitionOf(agentVersionId),
      id,
      account: caller.name,
      body: {
        agentVersionId,
        agentId: uuidV5(agentNamespace, `${caller.name}\n${upload.agentName}`),
        minerHotkey: caller.name,
        minerColdkey: caller.coldkey,
        agentName: upload.agentName,
        suiteId,
        codeSha256,
        codeSizeBytes: upload.file.length,
      },
    },
    { budgetMs: Math.max(1, context.deadlineMs - deps.clock.nowMs()) },
  );
}

interface InTurn {
  readonly upload: SubmittedFile;
  /** Undefined where nobody asked for it, as the request seemed to be a repeat. */
  readonly suite: SuiteRow | undefined;
  readonly analyse: Analyse;
}

/**
 * Refusals are recorded and a cooldown is begun before the next file of the hotkey is looked at: however
 * many come at once, no more of them are analysed than one after the other.
 */
async function submitInTurn(
  request: EndpointRequest,
  { upload, suite, analyse }: InTurn,
  deps: EdgeDeps,
) {
  const { caller, context } = request;
  const hotkey = caller.name;
  const { id, before } = await commandOf(context, upload, deps);
  if (before !== undefined) return toResult(hotkey, submitVersionReply.parse(before));
  await deps.rejections.requireBelowLimit(hotkey);
  const { suiteId } = suite ?? (await requireActiveSuite(deps));
  await requireNoCooldown(hotkey, deps);
  await deps.rejections.recording({ hotkey, file: upload.file }, () =>
    requireCleanCode(upload.file, analyse),
  );
  return toResult(hotkey, await admit(request, { id, upload, suiteId }, deps));
}

function toResult(hotkey: string, reply: z.infer<typeof submitVersionReply>) {
  return {
    agent_id: reply.agentId,
    agent_version_id: reply.agentVersionId,
    admission_status: 'ACCEPTED' as const,
    admission_reason: null,
    next_allowed_at: formatInstant(reply.nextAllowedAt),
    hotkey,
    message: 'Accepted and queued for evaluation.',
  };
}

export const submitAgent = endpoint({
  method: 'post',
  path: '/v1/miner/submit',
  role: 'miner',
  owner: 'caller',
  summary: 'Submit one Python agent file',
  trafficClass: 1,
  isRepeatable: true,
  budget: 'submission',
  bodyKind: 'multipart',
  requestMediaType: 'multipart/form-data',
  requestShape: submissionForm,
  response: submissionResult,
  faults: [
    'NO_ACTIVE_SUITE',
    'INVALID_AGENT_NAME',
    'FILE_TOO_LARGE',
    'COOLDOWN_ACTIVE',
    'RATE_LIMITED',
    'INVALID_FILE',
    'CODE_ANALYSIS_ERROR',
    'BANNED',
    'UNSUPPORTED_MEDIA_TYPE',
    'VALIDATION_FAILED',
    'STORAGE_UNAVAILABLE',
    'IDEMPOTENCY_CONFLICT',
  ],

  async handle(request, deps) {
    const { caller, context } = request;
    const turn = { hotkey: caller.name, signal: context.signal };
    // A repeat gets its first answer whatever has happened since; it must come whole to be known for one.
    const suite = (await isRememberedKey(deps, context))
      ? undefined
      : await suiteFor(caller.name, deps);
    const upload = await readUpload(context, deps);
    return await deps.analyses.during(turn, (analyse) =>
      submitInTurn(request, { upload, suite, analyse }, deps),
    );
  },
});
