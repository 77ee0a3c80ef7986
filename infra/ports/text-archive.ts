/** A compressed text on local disk, with what names it in a store. */
export interface ArchivedText extends AsyncDisposable {
  readonly path: string;
  /** 64 lower-case hex digits over the compressed bytes. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Compresses a text as it is made; never holds more than a piece of it. Disposing removes the file. */
export type ArchiveText = (pieces: AsyncIterable<string>) => Promise<ArchivedText>;
