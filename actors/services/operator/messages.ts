import { z } from 'zod';
import { publicEventTypes } from '../../../machines/feed/public-event.ts';
import { policyChanges, policyOverrides } from '../../../machines/race/policy-overrides.ts';
import { executionKinds, phases } from '../../../machines/types.ts';
import type { ServiceContract } from '../messages.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const texts = z.record(z.string(), z.string().nullable());
const reason = z.string().nullable();

/**
 * Packs list thousands of tasks and suites carry megabytes of embeddings, more than a message may:
 * the edge stores them as a JSON document under its SHA-256 and the command names the document.
 */
export const documentKeyOf = (documentSha256: string) => `documents/${documentSha256}.json`;

export const packDocument = z.object({
  manifest: texts,
  tasks: z.array(z.object({ taskId: z.string(), family: z.string(), goalText: z.string() })),
});

const problem = z.object({
  problemId: z.guid().nullable(),
  metadata: z.record(z.string(), z.unknown()),
});

export const suiteDocument = z.object({
  benchmarkName: z.string(),
  benchmarkNumber: z.number().int(),
  executionKind: z.enum(executionKinds),
  envPackSha256: sha256.nullable(),
  /** Null: drawn from the pack. */
  qualifyingTaskIds: z.array(z.string()).nullable(),
  problems: z.array(problem),
  raceProblems: z.array(problem),
  /** Integers of 10^-6; null: as configured. */
  qualifyingThresholdMicro: z.number().int().nullable(),
  requiredSuccessesQualifying: z.number().int().nullable(),
  requiredSuccessesRace: z.number().int().nullable(),
});

const registeredPack = z.object({
  packSha256: sha256,
  sizeBytes: z.number().int(),
  taskCount: z.number().int(),
  familyCounts: z.record(z.string(), z.number().int()),
  manifest: texts,
});

const keptSuite = z.object({
  suiteId: z.number().int(),
  suiteVersion: z.number().int(),
  isActive: z.boolean(),
  executionKind: z.enum(executionKinds),
  environment: z.record(z.string(), z.string()),
  envPackSha256: sha256.nullable(),
  benchmarkName: z.string(),
  benchmarkNumber: z.number().int(),
});

const ofRace = { raceId: z.guid() };
const ofVersion = { agentVersionId: z.guid() };
const ofRun = { evalRunId: z.guid() };
const ofRejudging = { rejudgingId: z.guid() };
const ofMessage = { msgId: z.string() };

/** One order is one answer, however many runs a validator made; more are another rejudging. */
export const rejudgedRunsMax = 500;
/**
 * From the first race that it has runs of to the last: a month of them. Whoever asks what it comes to has each
 * computed anew, at up to 27 ms of a core where 340 entrants raced.
 */
export const rejudgedRacesMax = 31;

/** Which of the active suite's counted runs are judged again: those that meet all that is given. */
export const rejudgingCriteria = z.object({
  validatorHotkey: z.string().nullable(),
  agentVersionId: z.guid().nullable(),
  phase: z.enum(phases).nullable(),
  /** Runs with a result of this task, or of this problem of a legacy suite. */
  taskId: z.string().nullable(),
  envPackSha256: sha256.nullable(),
  /** Unix milliseconds; a run claimed at the first is among them, at the last is not. */
  claimedFromMs: z.number().nullable(),
  claimedUntilMs: z.number().nullable(),
});
export type RejudgingCriteria = z.infer<typeof rejudgingCriteria>;

/** Where the answer to an order will stand: in the inbox of the partition that carries it out. */
const orderTicket = z.object({
  kind: z.enum(['eval', 'race']),
  part: z.number().int(),
  msgId: z.string(),
});

/** Each partition that has runs of it carries out its part. */
const rejudgingOrdered = z.object({ ...ofRejudging, tickets: z.array(orderTicket) });

/**
 * What operators change. Each runs once under its command id, which also fixes the answer, and writes
 * one entry of the audit log in the same transaction.
 */
export const operatorService = {
  name: 'operator',
  messages: {
    /** The same bytes again answer the same. */
    'register-pack': {
      request: z.object({
        packSha256: sha256,
        sizeBytes: z.number().int().positive(),
        documentSha256: sha256,
        reason,
      }),
      reply: registeredPack,
    },
    /** Refusals: PACK_NOT_FOUND, TASK_HELD_OUT, NO_TASK_HELD_OUT, VALIDATION_FAILED. */
    'create-suite': {
      request: z.object({ documentSha256: sha256, reason }),
      reply: keptSuite,
    },
    /** Refusals: SUITE_NOT_FOUND. */
    'activate-suite': {
      request: z.object({ suiteId: z.number().int(), reason }),
      /** `opening` is the order to the race coordinator that opens the suite's first race. */
      reply: keptSuite.extend({ opening: orderTicket }),
    },
    'ban-hotkey': {
      request: z.object({ hotkey: z.string(), reason: z.string() }),
      reply: z.object({ hotkey: z.string(), reason: z.string(), bannedAtMs: z.number() }),
    },
    'unban-hotkey': {
      request: z.object({ hotkey: z.string(), reason }),
      reply: z.object({ hotkey: z.string(), wasBanned: z.boolean() }),
    },
    /** Notes a change of the embedded chain before it is made: the chain keeps no names. */
    'note-registration': {
      request: z.object({
        action: z.enum(['set', 'remove']),
        hotkey: z.string(),
        detail: z.record(z.string(), z.unknown()),
        reason,
      }),
      /** Absent where a process of an earlier version noted it. */
      reply: z.object({ auditSeq: z.number().int().optional() }),
    },
    /**
     * Orders for an actor: kept with their audit entry, carried out by the owner of the partition,
     * however long that takes. Refusals: RACE_NOT_FOUND, RACE_OVER.
     */
    'order-race': {
      request: z.discriminatedUnion('order', [
        z.object({ order: z.enum(['close-qualifying', 'start-race']), ...ofRace, reason }),
        z.object({ order: z.literal('cancel-race'), ...ofRace, reason: z.string() }),
      ]),
      reply: orderTicket,
    },
    /** Refusals: AGENT_VERSION_NOT_FOUND. */
    'order-version': {
      request: z.discriminatedUnion('order', [
        z.object({ order: z.literal('discard-version'), ...ofVersion, reason: z.string() }),
        z.object({ order: z.literal('reinstate-version'), ...ofVersion, reason }),
      ]),
      reply: orderTicket,
    },
    /** Refusals: EVAL_RUN_NOT_FOUND, RACE_OVER. */
    'order-run': {
      request: z.discriminatedUnion('order', [
        z.object({ order: z.literal('exclude-run'), ...ofRun, reason: z.string() }),
        z.object({ order: z.enum(['include-run', 'reclaim-run']), ...ofRun, reason }),
      ]),
      reply: orderTicket,
    },
    /** Empties a process of its partitions. Refusals: ACTOR_NOT_FOUND, LAST_ACTOR. */
    'drain-member': {
      request: z.object({ memberId: z.string(), reason }),
      reply: z.object({ memberId: z.string(), partitionCount: z.number().int() }),
    },
    /** Refusals: PARKED_MESSAGE_NOT_FOUND, NOT_RESENDABLE. */
    'order-parked': {
      request: z.discriminatedUnion('order', [
        z.object({ order: z.literal('resend-message'), ...ofMessage, reason }),
        z.object({ order: z.literal('drop-message'), ...ofMessage, reason: z.string() }),
      ]),
      reply: z.object({ subject: z.string() }),
    },
    /** Refusals: VALIDATION_FAILED, RACE_LOCKED. */
    'create-rejudging': {
      request: z.object({ criteria: rejudgingCriteria, reason }),
      reply: rejudgingOrdered,
    },
    /** Refusals: REJUDGING_NOT_FOUND, REJUDGING_NOT_READY, REJUDGING_OVER. */
    'order-rejudging': {
      request: z.discriminatedUnion('order', [
        z.object({ order: z.literal('apply-rejudging'), ...ofRejudging, reason }),
        z.object({ order: z.literal('cancel-rejudging'), ...ofRejudging, reason: z.string() }),
      ]),
      reply: rejudgingOrdered,
    },
    /** From the next race on. Refusals: VALIDATION_FAILED. */
    'change-policy': {
      request: z.object({ changes: policyChanges, reason }),
      reply: z.object({ policyVersion: z.number().int(), overrides: policyOverrides }),
    },
    /**
     * Keeps a webhook with its secret, which is sealed before it is sent here and comes back as it was
     * kept first.
     */
    'register-webhook': {
      request: z.object({
        webhookId: z.guid(),
        url: z.string(),
        /** Null: all of them. */
        eventTypes: z.array(z.enum(publicEventTypes)).nullable(),
        sealedSecret: z.string(),
        isSecretGiven: z.boolean(),
        reason,
      }),
      reply: z.object({
        webhookId: z.guid(),
        url: z.string(),
        eventTypes: z.array(z.enum(publicEventTypes)).nullable(),
        sealedSecret: z.string(),
        cursor: z.number().int(),
        createdAtMs: z.number(),
      }),
    },
    /** Refusals: WEBHOOK_NOT_FOUND. */
    'remove-webhook': {
      request: z.object({ webhookId: z.guid(), reason }),
      reply: z.object({}),
    },
    /** Everything after the cursor once more. Refusals: WEBHOOK_NOT_FOUND, VALIDATION_FAILED. */
    'replay-webhook': {
      request: z.object({ webhookId: z.guid(), cursor: z.number().int().min(0), reason }),
      reply: z.object({}),
    },
    /** Fixes how far a simulated clock is to go; who ordered it drives it there. Refusals: CLOCK_IS_REAL. */
    'advance-clock': {
      request: z.object({ seconds: z.number().int().positive(), reason }),
      reply: z.object({ targetMs: z.number() }),
    },
  },
} as const satisfies ServiceContract;

export type OrderTicket = z.infer<typeof orderTicket>;
export type RegisteredPack = z.infer<typeof registeredPack>;
export type KeptSuite = z.infer<typeof keptSuite>;
export type SuiteDocument = z.infer<typeof suiteDocument>;
export type PackDocument = z.infer<typeof packDocument>;
