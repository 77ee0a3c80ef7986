import type { Clock } from '../../../infra/ports/clock.ts';
import type { ObjectInspector } from '../../../infra/ports/object-inspector.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { FileKind, NamedFile } from './file-kind.ts';
import { type Look, lookFor } from './look-for.ts';
import { ObjectsUnreadable } from './objects-unreadable.ts';

/** A file that is not as its row says, as a person and a program are told of it. */
export interface Trouble {
  readonly key: string;
  readonly belongsTo: string;
  readonly hurts: string;
  /** Absent where it is missing. */
  readonly why?: string;
}

export interface TroubleList {
  readonly count: number;
  readonly files: readonly Trouble[];
}

/** What is known of one kind of files after all of them were looked for. */
export interface KindFinding {
  readonly kind: FileKind;
  readonly named: number;
  readonly there: number;
  readonly missing: TroubleList;
  readonly wrong: TroubleList;
  readonly unread: TroubleList;
  readonly ms: number;
}

export interface KindSearch {
  readonly sql: Sql;
  readonly store: ObjectInspector;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly isHashed: boolean;
  /** Of each trouble; the others are counted. */
  readonly keptMax: number;
  readonly rowsPerPage: number;
}

/** Each waits for the store, and hardly does anything itself. */
const lanes = 16;
/** One by one they may be damaged; as many without another between them are a store that is away. */
const unreadInRowMax = 2 * lanes;

/** Throws ObjectsUnreadable where the store does not say of one file after another. */
export async function findKind(kind: FileKind, search: KindSearch): Promise<KindFinding> {
  const { sql, store, clock, isHashed, keptMax, rowsPerPage } = search;
  const startedMs = clock.monotonicMs();
  const tally = new Tally(keptMax);
  const files = kind.files(sql, rowsPerPage);
  // Who fails ends the others, too: they share one source.
  const lane = async () => {
    for await (const file of files) tally.add(file, await lookFor(file, { store, isHashed }));
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return { kind, ...tally.counted(), ms: Math.round(clock.monotonicMs() - startedMs) };
}

class Tally {
  readonly #keptMax: number;
  readonly #troubles = { missing: list(), wrong: list(), unread: list() };
  #named = 0;
  #unreadInRow = 0;

  constructor(keptMax: number) {
    this.#keptMax = keptMax;
  }

  add(file: NamedFile, look: Look): void {
    this.#named += 1;
    this.#unreadInRow = look.outcome === 'unread' ? this.#unreadInRow + 1 : 0;
    if (look.outcome === 'unread' && this.#unreadInRow >= unreadInRowMax) {
      throw new ObjectsUnreadable(
        `the object store does not say whether ${look.key} is there, nor of ${this.#unreadInRow - 1} ` +
          `files before it: ${look.why}`,
      );
    }
    if (look.outcome !== 'there') this.#keep(this.#troubles[look.outcome], file, look);
  }

  counted(): Omit<KindFinding, 'kind' | 'ms'> {
    const { missing, wrong, unread } = this.#troubles;
    const there = this.#named - missing.count - wrong.count - unread.count;
    return { named: this.#named, there, missing, wrong, unread };
  }

  #keep(found: ReturnType<typeof list>, { keys, belongsTo, hurts }: NamedFile, look: Look): void {
    found.count += 1;
    if (found.count > this.#keptMax) return;
    const about =
      'why' in look ? { key: look.key, why: look.why } : { key: keys.at(-1) ?? keys[0] };
    found.files.push({ ...about, belongsTo, hurts });
  }
}

function list() {
  return { count: 0, files: [] as Trouble[] };
}
