/** Where in the file: a byte offset, or a line when only that is known. */
export type Place = { readonly offset: number } | { readonly line: number };

/** The file is not one that CPython 3.11 would load, or is beyond what can be judged. */
export class FileRefused extends Error {
  readonly place: Place | null;

  constructor(reason: string, place: Place | null = null, options?: ErrorOptions) {
    super(reason, options);
    this.place = place;
  }
}
