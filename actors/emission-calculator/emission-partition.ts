import { createHash } from 'node:crypto';
import { encode } from '../../machines/codec.ts';
import { decideStandings } from '../../machines/emission/decide.ts';
import type { EpochStandings } from '../../machines/emission/facts.ts';
import { furthestEpoch, type MadeEpoch } from '../../machines/emission/furthest-epoch.ts';
import { emission } from '../../machines/emission/machine.ts';
import { fold, unborn } from '../../machines/kernel.ts';
import type { Changes, Command, Decision, PartitionActor } from '../runtime/partition-actor.ts';
import { emissionCommands } from './messages.ts';
import { standingsBody } from './standings-body.ts';
import type { Ground, GroundReader } from './store.ts';

/**
 * The single writer of epoch standings.
 *
 * 1. Epochs are made in ascending order, each once; one before the newest is never made.
 * 2. A batch decides on one reading of the tables, so that no snapshot mixes two moments.
 * 3. An epoch that it cannot be by now is refused, whatever the chain says: what is made stays.
 */
export class EmissionPartition implements PartitionActor {
  readonly #reader: GroundReader;
  readonly #epochMs: number | undefined;
  #ground: Ground | undefined;
  /** The last ones, the newest first; of the batch, what it makes included. */
  #made: readonly MadeEpoch[] = [];

  constructor(reader: GroundReader, epochMs: number | undefined) {
    this.#reader = reader;
    this.#epochMs = epochMs;
  }

  async prepare(): Promise<void> {
    this.#ground = await this.#reader.read();
  }

  begin(): void {
    this.rollback();
  }

  decide(command: Command, nowMs: number): Decision {
    const { type } = command;
    if (type !== 'make-standings') throw new Error(`no emission command ${type}`);
    const { epochIndex } = emissionCommands[type].request.parse(command.body);
    const [newest] = this.#made;
    if (newest !== undefined && newest.epochIndex >= epochIndex) return made(newest.epochIndex);
    if (newest !== undefined && this.#isTooFar(epochIndex, nowMs)) {
      return tooFar(epochIndex, newest.epochIndex);
    }
    this.#made = [{ epochIndex, madeAtMs: nowMs }, ...this.#made];
    return { ...made(epochIndex), changes: this.#changes(epochIndex, nowMs) };
  }

  commit(): void {
    // What is stored is read again.
  }

  /** Nothing survives a batch: each one reads the tables anew. */
  rollback(): void {
    this.#made = this.#ground?.made ?? [];
  }

  answerFromMemory(): undefined {
    return undefined;
  }

  due(): readonly Command[] {
    return [];
  }

  extendDeadlines(): void {
    // Nobody has promised anything here.
  }

  takeFlush(): undefined {
    return undefined;
  }

  stats(): Readonly<Record<string, number>> {
    return { newestEpoch: this.#ground?.made[0]?.epochIndex ?? 0 };
  }

  #isTooFar(epochIndex: number, nowMs: number): boolean {
    if (this.#epochMs === undefined) return false;
    return epochIndex > furthestEpoch(this.#made, nowMs, this.#epochMs);
  }

  #changes(epochIndex: number, nowMs: number): Changes {
    if (this.#ground === undefined) throw new Error('nothing was read');
    const { raceId } = this.#ground;
    const body = standingsBody(epochIndex, this.#ground);
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const row = { epoch_index: epochIndex, race_id: raceId, body, body_sha256: bodySha256 };
    return {
      ...records({ epochIndex, raceId, bodySha256, at: nowMs }),
      operations: { epoch_standings: [row] },
      outbox: [],
    };
  }
}

/** The machine of one epoch, born and done in the same commit: its key is a second fence. */
function records(standings: EpochStandings): Pick<Changes, 'events' | 'snapshots'> {
  const facts = decideStandings(unborn(emission), standings);
  const key = String(standings.epochIndex);
  const of = { machine: emission.name, key, actorKey: `epoch/${key}` };
  const events = facts.map(({ type, ...payload }, index) => ({
    ...of,
    ...{ seq: index + 1, type, typeVersion: emission.version, payload },
  }));
  const snapshot = { ...of, seq: facts.length, ...encode(emission, fold(emission, facts)) };
  return { events, snapshots: [snapshot] };
}

function made(epochIndex: number): Decision {
  return { reply: { kind: 'ok', body: { epochIndex } } };
}

function tooFar(epochIndex: number, newest: number): Decision {
  const detail = `The chain names epoch ${epochIndex}, which it cannot be so soon after ${newest}.`;
  return { reply: { kind: 'fault', code: 'CHAIN_UNAVAILABLE', detail, extras: {} } };
}
