import type { RaceState } from '../../machines/race/machine.ts';

/** One race with the number of facts that made it. */
export interface RaceEntity {
  readonly state: RaceState;
  readonly seq: number;
}

/** The unfinished races of one partition, and what a batch is about to make of them. */
export class RacesOfPartition {
  #durable: ReadonlyMap<string, RaceEntity>;
  #working: Map<string, RaceEntity>;
  #isReignSettled = false;

  constructor(open: ReadonlyMap<string, RaceEntity>) {
    this.#durable = open;
    this.#working = new Map(open);
  }

  get(raceId: string): RaceEntity | undefined {
    return this.#working.get(raceId);
  }

  set(raceId: string, race: RaceEntity): void {
    this.#working.set(raceId, race);
  }

  /** What is not durable yet included. */
  ids(): readonly string[] {
    return [...this.#working.keys()];
  }

  durable(): readonly RaceEntity[] {
    return [...this.#durable.values()];
  }

  /** Whether this batch ended the reign that its grounds tell of. */
  get isReignSettled(): boolean {
    return this.#isReignSettled;
  }

  settleReign(): void {
    this.#isReignSettled = true;
  }

  /** Races that are over are read again should anybody ask for them. */
  commit(isOver: (race: RaceEntity) => boolean): void {
    this.#durable = new Map([...this.#working].filter(([, race]) => !isOver(race)));
    this.rollback();
  }

  rollback(): void {
    this.#working = new Map(this.#durable);
    this.#isReignSettled = false;
  }
}
