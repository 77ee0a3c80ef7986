import type { Sql } from '../../../infra/ports/sql.ts';
import type { FileKindId } from '../options.ts';

/** A file that a row names. */
export interface NamedFile {
  /** Where it may lie; the first that is there is the one that is given out. */
  readonly keys: readonly [string, ...string[]];
  /** Null where nobody of ours counted them. */
  readonly sizeBytes: number | null;
  /** Null where no row says what the bytes are. */
  readonly sha256: string | null;
  readonly belongsTo: string;
  /** What its loss does to that. */
  readonly hurts: string;
}

export interface FileKind {
  readonly id: FileKindId;
  readonly subject: string;
  /**
   * Why a row may name what is not there; undefined where the file was stored before its row, so that
   * one which is not there was lost.
   */
  readonly unlessThere?: string;
  readonly remedy: string;
  /** The remedy writes over what is there; else that is deleted first. */
  readonly isReplaced?: true;
  files(sql: Sql, rowsPerPage: number): AsyncGenerator<NamedFile>;
}

export const firstUuid = '00000000-0000-0000-0000-000000000000';

/**
 * Goes through a table by its key: no statement runs long or keeps its snapshot, however large the table,
 * and no more than a page of it is in memory. What a page holds is not filtered before its end, or a
 * statement would look for a rare row through all of the table.
 */
export async function* byKey<Row>(
  first: Row,
  readAfter: (row: Row) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let last = first; ; ) {
    const rows = await readAfter(last);
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end;
  }
}
