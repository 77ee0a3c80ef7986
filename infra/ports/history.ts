/** How far a database had come at some moment. */
export interface Mark {
  /** Of the database and all its copies; marks of two of them have nothing to do with each other. */
  readonly genesis: string;
  /** Grows when operators accept that the database went back. */
  readonly branch: number;
  readonly seq: number;
  /** Of all this and of the hash before. */
  readonly hash: string;
  /** Unix milliseconds of the database's host. */
  readonly atMs: number;
}

/** What the database says of itself. */
export interface History {
  readonly newest: Mark;
  /** Of the oldest mark that it still knows. */
  readonly oldestSeq: number;
  /** The hashes at the asked places, as far as it knows them. */
  readonly hashes: ReadonlyMap<number, string>;
  /** The database's wall clock as it answered, Unix milliseconds. */
  readonly nowMs: number;
}

/** What the database's wall clock said, between two looks at that of this host. All Unix milliseconds. */
export interface TimeTold {
  readonly askedMs: number;
  readonly databaseMs: number;
  readonly heardMs: number;
}

export interface HistoryStore {
  /**
   * Moves the mark on, unless somebody did within `everyMs` or the database does not have the known
   * hash. For coordinators alone.
   */
  advance(everyMs: number, known: string | undefined): Promise<void>;
  /** Undefined where no coordinator ever ran. */
  read(seqs: readonly number[]): Promise<History | undefined>;
}

/** One place outside of the database that remembers how far it had come. */
export interface MarkCopy {
  /** For people. */
  readonly name: string;
  read(genesis: string): Promise<Mark | undefined>;
  write(mark: Mark): Promise<void>;
}
