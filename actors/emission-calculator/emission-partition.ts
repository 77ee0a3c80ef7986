import { createHash } from 'node:crypto';
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

  decide(command: Command): Decision {
    const { type } = command;
    if (type !== 'make-standings') throw new Error(`no emission command ${type}`);
    const { epochIndex } = emissionCommands[type].request.parse(command.body);
    const newest = this.#newest;
    if (newest !== null && newest >= epochIndex) return made(newest);
    this.#newest = epochIndex;
    return { ...made(epochIndex), changes: this.#changes(epochIndex) };
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

  #changes(epochIndex: number): Changes {
    if (this.#ground === undefined) throw new Error('nothing was read');
    const body = standingsBody(epochIndex, this.#ground);
    const row = {
      epoch_index: epochIndex,
      race_id: this.#ground.raceId,
      body,
      body_sha256: createHash('sha256').update(body).digest('hex'),
    };
    return { events: [], snapshots: [], operations: { epoch_standings: [row] }, outbox: [] };
  }
}

function made(epochIndex: number): Decision {
  return { reply: { kind: 'ok', body: { epochIndex } } };
}
