import { createHash } from 'node:crypto';
import { encode } from '../../machines/codec.ts';
import { decideStandings } from '../../machines/emission/decide.ts';
import type { EpochStandings } from '../../machines/emission/facts.ts';
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
 */
export class EmissionPartition implements PartitionActor {
  readonly #reader: GroundReader;
  #ground: Ground | undefined;
  /** Of the batch, what it makes included. */
  #newest: number | null = null;

  constructor(reader: GroundReader) {
    this.#reader = reader;
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
    const newest = this.#newest;
    if (newest !== null && newest >= epochIndex) return made(newest);
    this.#newest = epochIndex;
    return { ...made(epochIndex), changes: this.#changes(epochIndex, nowMs) };
  }

  commit(): void {
    // What is stored is read again.
  }

  /** Nothing survives a batch: each one reads the tables anew. */
  rollback(): void {
    this.#newest = this.#ground?.newestEpoch ?? null;
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
    return { newestEpoch: this.#ground?.newestEpoch ?? 0 };
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
