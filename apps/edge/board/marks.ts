import { Column } from './column.ts';

/** As many as there are searches at once, most often. */
const sparesMax = 8;

/**
 * Rows of zeros for searches to mark what they find, used again by later ones: a search of a million
 * versions needs half a megabyte, and who asks for so much anew each time has the collector of garbage
 * walk through the whole heap every second.
 */
export class Marks {
  readonly #spare: Column<Uint8Array>[] = [];

  /** So many zeros at least; the caller gives them back. */
  take(length: number): Column<Uint8Array> {
    const marks = this.#spare.pop() ?? new Column(Uint8Array);
    marks.reserve(length);
    marks.values.fill(0);
    return marks;
  }

  giveBack(...all: readonly Column<Uint8Array>[]): void {
    for (const marks of all) if (this.#spare.length < sparesMax) this.#spare.push(marks);
  }
}
