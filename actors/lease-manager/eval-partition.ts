import type { z } from 'zod';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { evalPartitionOf } from '../../machines/partition-of.ts';
import { refusal } from '../../machines/refusal.ts';
import type { EvalPolicy } from '../../machines/types.ts';
import type {
  Command,
  Decision,
  Flush,
  PartitionActor,
  Reply,
} from '../runtime/partition-actor.ts';
import { unreadable } from '../runtime/unreadable.ts';
import { type Answer, refused } from './answer.ts';
import { Draft } from './draft.ts';
import { Expiry } from './expiry.ts';
import { ExpiryBrake } from './expiry-brake.ts';
import { handlers } from './handlers.ts';
import { heartbeatFromMemory } from './heartbeat.ts';
import { type Ids, idNamespace } from './ids.ts';
import { LeaseCounts } from './lease-counts.ts';
import { evalMessages, heartbeat } from './messages.ts';
import type { PartitionState } from './partition-state.ts';

/** What `prepare` may read; the store over SQL implements it. */
export interface EvalLoader {
  /** Brings everything into the state that deciding on these commands needs. */
  load(state: PartitionState, commands: readonly Command[]): Promise<void>;
}

export interface EvalPartitionDeps {
  readonly part: number;
  readonly policy: EvalPolicy;
  readonly ids: Ids;
  readonly state: PartitionState;
  readonly loader: EvalLoader;
  readonly telemetry: Pick<Telemetry, 'count'>;
  /** Shared by the partitions of a process; one of its own unless told. */
  readonly brake?: ExpiryBrake;
}

/**
 * The single writer of one partition's agent versions, work items and runs: lease manager and
 * scoring aggregator in one, since a completion answers for both.
 *
 * 1. A decision sees every earlier one of its batch, and leaves nothing behind when it fails.
 * 2. Promises to validators only grow, and are looked at again before a run is called stale.
 */
export class EvalPartition implements PartitionActor {
  readonly #deps: EvalPartitionDeps;
  readonly #expiry: Expiry;
  readonly #counts: LeaseCounts;
  #nowMs = 0;

  constructor(deps: EvalPartitionDeps) {
    this.#deps = deps;
    this.#expiry = new Expiry(deps.state, deps.brake ?? new ExpiryBrake(deps.policy));
    this.#counts = new LeaseCounts(deps.telemetry);
  }

  async prepare(commands: readonly Command[]): Promise<void> {
    await this.#deps.loader.load(this.#deps.state, commands);
  }

  begin(): void {
    this.#forgetBatch();
  }

  decide(command: Command, nowMs: number): Decision {
    const decision = this.#decide(command, nowMs);
    this.#counts.decided(command, decision);
    return decision;
  }

  commit(): void {
    this.#deps.state.commit();
    this.#counts.commit();
  }

  rollback(): void {
    this.#forgetBatch();
    // The commit may have failed because a race ended under it.
    this.#deps.state.mayRacesHaveEnded = true;
  }

  answerFromMemory(command: Command, nowMs: number): Reply | undefined {
    if (command.type !== 'heartbeat') return undefined;
    const beat = heartbeat.safeParse(command.body);
    if (!beat.success) return undefined;
    const body = heartbeatFromMemory(this.#deps.state, beat.data, nowMs);
    if (body === undefined) return undefined;
    this.#counts.beatInMemory();
    return { kind: 'ok', body };
  }

  due(nowMs: number): readonly Command[] {
    this.#nowMs = nowMs;
    // One command for each: a run that cannot be ended must not keep others alive. They share commits.
    return this.#expiry.due(nowMs).map((evalRunId) => ({
      id: this.#deps.ids.uuidV5(idNamespace, this.#nameOfExpiry(evalRunId)),
      type: 'expire-runs',
      body: { evalRunIds: [evalRunId] },
      account: 'system',
      trace: {},
    }));
  }

  /** Holds end without anybody's doing. */
  nextDueMs(): number | undefined {
    return this.#deps.state.deadlines.earliestEndMs();
  }

  extendDeadlines(outageMs: number, overAtMs: number | undefined): void {
    const { deadlines, liveRuns } = this.#deps.state;
    // Whole milliseconds, like every promise: a monotonic clock measures fractions of them.
    const byMs = Math.ceil(outageMs);
    if (overAtMs === undefined) {
      deadlines.delayAll(byMs);
      return;
    }
    deadlines.forgiveAll(byMs, overAtMs);
    this.#counts.lengthened(liveRuns.committedSize);
  }

  /** Nothing of a run that a batch in flight ends: its row would tell of a lease beyond its end. */
  takeFlush(): Flush | undefined {
    const { deadlines, liveRuns } = this.#deps.state;
    const beats = deadlines.takeBeats((evalRunId) => liveRuns.has(evalRunId));
    if (beats.size === 0) return undefined;
    const rows = [...beats].map(([evalRunId, beat]) => ({ evalRunId, ...beat }));
    return { table: 'run_beat', rows };
  }

  flushFailed({ rows }: Flush): void {
    for (const { evalRunId } of rows) this.#deps.state.deadlines.keepUnwritten(evalRunId);
  }

  stats(): Readonly<Record<string, number>> {
    const { openItems, liveRuns, aggregates } = this.#deps.state;
    return {
      openItems: openItems.committedSize,
      liveRuns: liveRuns.committedSize,
      loadedVersions: aggregates.committedSize,
      expiryBrakes: this.#expiry.brakeCount,
      isExpiryBraking: this.#expiry.isBraking(this.#nowMs) ? 1 : 0,
    };
  }

  #decide(command: Command, nowMs: number): Decision {
    const { part, state, policy, ids } = this.#deps;
    const draft = new Draft({ part, state, policy, ids, nowMs }, command);
    const answer = this.#answer(draft, command);
    // A refusal has no effect, whatever was drafted on the way to it.
    const changes = answer.reply.kind === 'fault' ? undefined : draft.adopt();
    const { reply, validUntilMs } = answer;
    if (changes === undefined) return { reply };
    return { reply, changes, ...(validUntilMs !== undefined && { validUntilMs }) };
  }

  #answer(draft: Draft, command: Command): Answer {
    const handler = handlers[command.type];
    if (handler === undefined) throw new Error(`no eval command ${command.type}`);
    const body = handler.request.safeParse(command.body);
    if (!body.success) {
      const says = shown(body.error);
      // Its own sender is no caller whom a refusal would reach: another version of us wrote it.
      if (Object.hasOwn(evalMessages, command.type)) throw unreadable(command, says);
      return refused(refusal('VALIDATION_FAILED', { says }));
    }
    this.#assertOurs(body.data);
    return handler.handle(draft, body.data);
  }

  #forgetBatch(): void {
    this.#deps.state.rollback();
    this.#counts.forget();
  }

  /** A command for another partition was misrouted: two owners of one version would follow. */
  #assertOurs(body: unknown): void {
    if (typeof body !== 'object' || body === null || !('agentVersionId' in body)) return;
    const part = evalPartitionOf(String(body.agentVersionId));
    if (part !== this.#deps.part) throw new Error(`command of part ${part} in ${this.#deps.part}`);
  }

  /** Of run and deadlines: a postponed run must not be refused as a repeat. */
  #nameOfExpiry(evalRunId: string): string {
    return `expire:${evalRunId}@${JSON.stringify(this.#deps.state.deadlines.get(evalRunId))}`;
  }
}

function shown(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
