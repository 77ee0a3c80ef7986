const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const newline = 0x0a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Finds the records of an episode while its bytes come in, without parsing them:
 *
 * - of lines of JSON, each line's value;
 * - of one JSON array, its elements; of one object, its properties, and the elements of those that are
 *   arrays in their place;
 * - of anything else, its lines.
 *
 * A record is known as soon as its end is. Bytes are looked at once, strings by a native search.
 */
export class RecordIndex {
  #bounds = new Float64Array(2048);
  #count = 0;
  #generation = 0;
  /** Of all bytes before the current chunk. */
  #base = 0;
  #kind: 'json' | 'lines' | 'unknown' = 'unknown';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** At which depth records lie side by side: 0 where there are several values. */
  #level = 1;
  #isRootObject = false;
  #rootStart = -1;
  #rootEnd = -1;
  #start = -1;

  get count(): number {
    return this.#count;
  }

  /** Another one once records are other ones than those that were known: what was made of them is void. */
  get generation(): number {
    return this.#generation;
  }

  /** Where a record starts and ends in the file. */
  at(index: number): readonly [start: number, end: number] {
    return [this.#bounds[index * 2] ?? 0, this.#bounds[index * 2 + 1] ?? 0];
  }

  add(chunk: Uint8Array): void {
    let from = 0;
    if (this.#kind === 'unknown') {
      while (from < chunk.length && isSpace(chunk[from] ?? 0)) from++;
      if (from === chunk.length) {
        this.#base += chunk.length;
        return;
      }
      const first = chunk[from];
      this.#kind = first === openBrace || first === openBracket ? 'json' : 'lines';
    }
    if (this.#kind === 'json') this.#scanJson(chunk, from);
    else this.#scanLines(chunk, from);
    this.#base += chunk.length;
  }

  /** What has begun and has no end is a record as well: a file that was cut shows all that it has. */
  finish(): void {
    this.#close(this.#base);
  }

  #scanLines(chunk: Uint8Array, from: number): void {
    let at = from;
    while (at < chunk.length) {
      if (this.#start < 0) this.#start = this.#base + at;
      const end = chunk.indexOf(newline, at);
      if (end < 0) return;
      this.#close(this.#base + end);
      at = end + 1;
    }
  }

  #scanJson(chunk: Uint8Array, from: number): void {
    for (let at = from; at < chunk.length; at++) {
      if (this.#isInString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (byte === openBrace || byte === openBracket) this.#open(byte, this.#base + at);
      else if (byte === closeBrace || byte === closeBracket) this.#shut(this.#base + at);
      else if (byte === quote) {
        this.#begin(this.#base + at);
        this.#isInString = true;
      } else if (this.#depth === this.#level) {
        if (byte === comma) this.#close(this.#base + at);
        else if (!isSpace(byte)) this.#begin(this.#base + at);
      }
    }
  }

  /** The place of the closing quote, or the chunk's end where it is not in this one. */
  #skipString(chunk: Uint8Array, from: number): number {
    let at = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at += 1;
    }
    for (;;) {
      const end = chunk.indexOf(quote, at);
      let slashes = 0;
      const stop = end < 0 ? chunk.length : end;
      while (stop - 1 - slashes >= at && chunk[stop - 1 - slashes] === backslash) slashes++;
      const isOdd = slashes % 2 === 1;
      if (end < 0) {
        this.#isEscaped = isOdd;
        return chunk.length;
      }
      if (!isOdd) {
        this.#isInString = false;
        return end;
      }
      at = end + 1;
    }
  }

  #open(byte: number, position: number): void {
    if (this.#depth === 0) this.#openRoot(byte, position);
    const isListInRoot =
      byte === openBracket && this.#depth === 1 && this.#level === 1 && this.#isRootObject;
    if (isListInRoot) {
      // Its elements stand in its place.
      this.#start = -1;
      this.#level = 2;
    } else {
      this.#begin(position);
    }
    this.#depth += 1;
  }

  #openRoot(byte: number, position: number): void {
    if (this.#rootEnd >= 0 && this.#level !== 0) {
      // A second value: the file is one of lines, and what the first was taken apart into was one.
      this.#level = 0;
      this.#count = 0;
      this.#generation += 1;
      this.#start = this.#rootStart;
      this.#close(this.#rootEnd);
    }
    this.#rootStart = position;
    this.#isRootObject = byte === openBrace;
  }

  #shut(position: number): void {
    if (this.#depth === this.#level && this.#level > 0) this.#close(position);
    this.#depth = Math.max(0, this.#depth - 1);
    if (this.#depth === 0) {
      this.#rootEnd = position + 1;
      if (this.#level === 0) this.#close(position + 1);
    } else if (this.#depth === 1 && this.#level === 2) {
      this.#level = 1;
    }
  }

  #begin(position: number): void {
    if (this.#depth === this.#level && this.#start < 0) this.#start = position;
  }

  #close(end: number): void {
    if (this.#start < 0) return;
    if (this.#count * 2 === this.#bounds.length) {
      const larger = new Float64Array(this.#bounds.length * 2);
      larger.set(this.#bounds);
      this.#bounds = larger;
    }
    this.#bounds[this.#count * 2] = this.#start;
    this.#bounds[this.#count * 2 + 1] = end;
    this.#count += 1;
    this.#start = -1;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;
}
