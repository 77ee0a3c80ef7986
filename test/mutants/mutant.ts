/** As reliability.md numbers them; `SIM` for what should not happen in a world at all. */
export type Sign = `INV-${number}` | 'SIM';

/**
 * `calm`: nothing fails. `dark`: the broker alone. `deaf`: edges die. `dry`: the database is away.
 * `frozen`: coordinators stop at a commit. `moving`: they leave and come. `stormy`: everything fails now
 * and then.
 */
export type World = 'calm' | 'dark' | 'deaf' | 'dry' | 'frozen' | 'moving' | 'stormy';

/** A defect that somebody could have made, planted in a copy of the product in memory. */
export interface Mutant {
  readonly id: string;
  /** What no longer holds. */
  readonly breaks: string;
  /** Any one of them is how it must show; a run that ends in another way has not caught it. */
  readonly signs: readonly Sign[];
  readonly edits: readonly Edit[];
  /** Where it must show; the simulator unless it lies outside of what is simulated. */
  readonly shownBy?: 'chaos' | 'sim';
  /** Of the simulator; the stormy one unless told. */
  readonly world?: World;
  /** Race days of each seed; one unless told. */
  readonly days?: number;
  /** The first seed that is tried, where an ordinary one would take long. */
  readonly seed?: number;
}

export type Edit = FunctionEdit | SourceEdit | StatementEdit;

/** Of a TypeScript file, when it is loaded. */
interface SourceEdit {
  readonly file: `${string}.ts`;
  /** Occurs exactly once. */
  readonly snippet: string;
  readonly replacement: string;
}

/** Of the function in the migrated database whose body has the snippet. */
export interface FunctionEdit {
  /** The migration that made it what it is now. */
  readonly file: `${string}.sql`;
  readonly snippet: string;
  readonly replacement: string;
}

/** Of the migrated database: what takes back the statement that begins with the snippet. */
interface StatementEdit {
  readonly file: `${string}.sql`;
  readonly snippet: string;
  readonly statement: string;
}
