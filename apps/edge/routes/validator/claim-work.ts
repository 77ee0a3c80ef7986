import { z } from 'zod';
import { claimedRunId } from '../../../../actors/lease-manager/ids.ts';
import { claimWorkReply } from '../../../../actors/lease-manager/messages.ts';
import {
  type ClaimDetails,
  type ClaimView,
  claimDetails,
  claimedAt,
  claimView,
} from '../../../../actors/lease-manager/reads.ts';
import { ownedHotkeysMax } from '../../../../infra/chain/rpc-chain.ts';
import { sha256Hex as hashOf, randomId, uuidV5 } from '../../../../infra/ids/ids.ts';
import { Fault, type FaultCode } from '../../../../machines/fault.ts';
import { refusal } from '../../../../machines/refusal.ts';
import { storableJson } from '../../../../machines/storable-json.ts';
import type { EdgeDeps } from '../../deps.ts';
import { type Caller, endpoint, type RequestContext } from '../../endpoint.ts';
import { turnsOf } from '../../evaluation/claim-turns.ts';
import { askOwner, idempotentId } from '../../evaluation/owner.ts';
import { runToken } from '../../evaluation/run-token.ts';
import { keyedCommand } from '../../reads/idempotency.ts';
import { hostReport } from '../../wire/host-report.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { uuidOut } from '../../wire/uuid.ts';

const token = z.object({
  provider: z.string(),
  access_token: z.string(),
  base_url: z.string(),
  expires_at: instant,
});

const claim = z
  .object({
    eval_run_id: uuidOut,
    agent_version_id: uuidOut,
    suite_id: z.number().int(),
    suite_version: z.number().int(),
    phase: z.enum(['QUALIFYING', 'RACE']),
    race_id: uuidOut.nullable(),
    execution_kind: z.enum(['legacy_benchmark', 'envpack']),
    env_pack_sha256: z.string().nullable(),
    lease_expires_at: instant,
    heartbeat_interval_seconds: z.number().int(),
    code_download_url: z.string(),
    code_sha256: z.string(),
    inference_token: token.nullable(),
    providera_access_token: z.string().nullable(),
  })
  .meta({ id: 'Claim' });

/**
 * Candidates of each round. They are read afresh, and more of them: others may have taken the last ones
 * meanwhile, and who is told that there is no work comes back much later. Each costs the database a few
 * microseconds, and of the first round only three partitions are asked.
 */
const candidatesOfRound = [6, 16, 48, 48, 48, 48] as const;

type ClaimedRun = NonNullable<z.output<typeof claimWorkReply>['run']> & {
  /** As the queue showed it; undefined of work that was not shown, which its owner found by itself. */
  readonly mayHaveToken: boolean | undefined;
};

/** One that was granted before; without a lease it is held for as long as is stored. */
interface Regranted {
  readonly evalRunId: string;
  readonly leaseExpiresAt?: number;
}

/** A run that is granted now, as its owner says it, or one that was granted before. */
type Granted = ClaimedRun | Regranted;

type Told = Omit<ClaimDetails, 'minerHotkey' | 'status' | 'validatorHotkey' | 'workItemId'>;

/** Of a fresh run everything is known by now; a repeated claim says what is stored. */
async function toldOf(granted: Granted, { sql, terms }: EdgeDeps): Promise<Told> {
  const { evalRunId, leaseExpiresAt } = granted;
  const lease = leaseExpiresAt !== undefined && { leaseExpiresAt: new Date(leaseExpiresAt) };
  if ('mayHaveToken' in granted && granted.mayHaveToken !== undefined && lease !== false) {
    const { mayHaveToken } = granted;
    return { ...granted, ...lease, mayHaveToken, ...(await terms.of(granted)) };
  }
  const details = await claimDetails(sql, evalRunId);
  if (details === undefined) throw new Error(`claimed run ${evalRunId} has no row`);
  return { ...details, ...lease };
}

/**
 * A repeated claim says the same with fresh URLs. What a provider does is no reason to refuse work: at
 * worst the token is null, or its key comes later.
 */
async function answerWith(
  granted: Granted,
  context: RequestContext,
  deps: EdgeDeps,
): Promise<z.input<typeof claim>> {
  const run = await toldOf(granted, deps);
  return {
    eval_run_id: run.evalRunId,
    agent_version_id: run.agentVersionId,
    suite_id: run.suiteId,
    suite_version: run.suiteVersion,
    phase: run.phase,
    race_id: run.raceId,
    execution_kind: run.executionKind,
    env_pack_sha256: run.envPackSha256,
    lease_expires_at: formatInstant(run.leaseExpiresAt),
    heartbeat_interval_seconds: deps.config.heartbeatSeconds,
    code_download_url: await deps.codeDownloads.urlOf(run.codeSha256),
    code_sha256: run.codeSha256,
    ...(await runToken(run, context, deps)),
  };
}

type LiveRuns = ClaimView['live'];

/**
 * At the cap, the oldest run that is claimed and untouched is the answer again: the first answer may
 * have been lost on its way, and a claim must not leak a lease. Undefined when it was begun or has ended
 * meanwhile.
 */
async function repeatOrRefuse(
  live: LiveRuns,
  caller: Caller,
  deps: EdgeDeps,
): Promise<Regranted | undefined> {
  const untouched = live.find((run) => run.status === 'CLAIMED');
  if (untouched === undefined) {
    throw refusal('AT_CAPACITY', {
      says: `You hold ${live.length} live runs, as many as you may.`,
    });
  }
  const { agentVersionId, evalRunId, part } = untouched;
  try {
    const { leaseExpiresAt } = await askOwner(deps.bus, {
      type: 'repeat-claim',
      part,
      // Never a repeat: each gives its own time.
      id: randomId(),
      account: caller.name,
      body: { agentVersionId, evalRunId, validatorHotkey: caller.name },
    });
    return { evalRunId, leaseExpiresAt };
  } catch (error) {
    if (error instanceof Fault && noLongerUntouched.has(error.code)) return undefined;
    throw error;
  }
}

const noLongerUntouched: ReadonlySet<string> = new Set([
  'AT_CAPACITY',
  'LEASE_EXPIRED',
  'RUN_ALREADY_COMPLETE',
] satisfies FaultCode[]);

function freeSlot(live: LiveRuns, slots: number): number | undefined {
  const taken = new Set(live.map((run) => run.slot));
  return Array.from({ length: slots }, (_, slot) => slot).find((slot) => !taken.has(slot));
}

/** As the owners of work know a caller. Whose own work cannot be told from that of others gets none. */
function claimerOf({ name, coldkey, ownedHotkeys }: Caller) {
  if (ownedHotkeys === null) {
    throw refusal('WRONG_ROLE', {
      says: `Your coldkey owns more than ${ownedHotkeysMax.toLocaleString('en')} hotkeys, too many to tell your own work from that of others.`,
      next: 'Claim with a hotkey of a coldkey that owns fewer.',
    });
  }
  return { validatorHotkey: name, validatorColdkey: coldkey, ownedHotkeys: [...ownedHotkeys] };
}

function viewOf(
  caller: Caller,
  limit: number,
  { config, claimsSql }: EdgeDeps,
): Promise<ClaimView> {
  return claimView(claimsSql, {
    ...claimerOf(caller),
    slots: config.maxConcurrentRuns,
    limit,
  });
}

/**
 * What the caller holds, and may be given. Runs whose lease is over are ended first where they stand in
 * the way: their owner finds them only at its next look, a moment later, and refuses them meanwhile.
 */
async function settledView(caller: Caller, limit: number, deps: EdgeDeps): Promise<ClaimView> {
  const view = await viewOf(caller, limit, deps);
  if (freeSlot(view.live, deps.config.maxConcurrentRuns) !== undefined) return view;
  const over = view.live.filter(({ isPastLease }) => isPastLease);
  if (over.length === 0) return view;
  await Promise.all(
    over.map(({ part, agentVersionId, evalRunId }) =>
      askOwner(deps.bus, {
        type: 'settle-run',
        part,
        // Never a repeat: what was not over a moment ago may be over now.
        id: randomId(),
        account: caller.name,
        body: { agentVersionId, evalRunId },
      }),
    ),
  );
  return await viewOf(caller, limit, deps);
}

/** Asks the owners of the best candidates in turn; undefined when none of them has work any more. */
async function claimOnce(
  caller: Caller,
  {
    candidates,
    ...ask
  }: Pick<ClaimView, 'candidates'> & {
    readonly id: string;
    readonly slot: number;
    readonly round: number;
  },
  deps: EdgeDeps,
): Promise<ClaimedRun | 'nothing' | 'raced'> {
  for (const { part, preferred } of turnsOf(candidates, caller.name, ask.round)) {
    const { run } = await askOwner(deps.bus, {
      type: 'claim-work',
      part,
      id: ask.id,
      account: caller.name,
      body: { ...claimerOf(caller), slot: ask.slot, preferred },
    });
    if (run === null) continue;
    deps.runs.learn(run.evalRunId, { part, agentVersionId: run.agentVersionId });
    const shown = candidates.find(({ workItemId }) => workItemId === run.workItemId);
    return { ...run, mayHaveToken: shown?.mayHaveToken };
  }
  return candidates.length === 0 ? 'nothing' : 'raced';
}

/** The id of a round, and what was claimed under the key of this request, where it has one. */
async function commandOf(
  context: RequestContext,
  round: number,
  deps: EdgeDeps,
): Promise<{ readonly id: string; readonly before: Regranted | undefined }> {
  if (context.idempotencyKey === undefined) {
    return { id: hashOf(`${context.commandId}\n${round}`), before: undefined };
  }
  // A key's id stays the same over rounds, so that its inbox row is the one first answer.
  const keyed = idempotentId(context, 'claim');
  const { id, before } = await keyedCommand(deps, keyed, (sql, commandId) =>
    claimedAt(sql, claimedRunId({ uuidV5 }, commandId)),
  );
  const run = before === undefined ? null : claimWorkReply.parse(before).run;
  return { id, before: run === null ? undefined : { evalRunId: run.evalRunId } };
}

async function claimRun(
  caller: Caller,
  context: RequestContext,
  deps: EdgeDeps,
): Promise<Granted | undefined> {
  for (const [round, limit] of candidatesOfRound.entries()) {
    const { id, before } = await commandOf(context, round, deps);
    if (before !== undefined) return before;
    const { live, candidates } = await settledView(caller, limit, deps);
    const slot = freeSlot(live, deps.config.maxConcurrentRuns);
    if (slot === undefined) {
      const again = await repeatOrRefuse(live, caller, deps);
      if (again !== undefined) return again;
      continue;
    }
    try {
      const claimed = await claimOnce(caller, { id, slot, round, candidates }, deps);
      if (claimed === 'nothing') return undefined;
      if (claimed !== 'raced') return claimed;
    } catch (error) {
      // Another request of this validator took the slot, or the same one before it: look again.
      if (!(error instanceof Fault) || error.code !== 'AT_CAPACITY') throw error;
    }
  }
  return undefined;
}

export const claimWork = endpoint({
  method: 'post',
  path: '/v1/validator/work/claim',
  role: 'validator',
  owner: 'caller',
  summary: 'Take the next run under a lease; 204 when there is nothing to do',
  trafficClass: 1,
  isRepeatable: true,
  body: hostReport,
  mend: storableJson,
  response: claim,
  mayBeEmpty: true,
  faults: ['AT_CAPACITY', 'IDEMPOTENCY_CONFLICT', 'STORAGE_UNAVAILABLE'],

  async handle({ caller, body, context }, deps) {
    deps.presence.seen(caller.name, body);
    const granted = await claimRun(caller, context, deps);
    return granted === undefined ? undefined : await answerWith(granted, context, deps);
  },
});
