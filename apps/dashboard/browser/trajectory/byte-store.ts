/** What has come of a file so far, in the pieces in which it came: nothing of it is ever copied whole. */
export class ByteStore {
  readonly #chunks: Uint8Array[] = [];
  readonly #ends: number[] = [];

  get length(): number {
    return this.#ends.at(-1) ?? 0;
  }

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#ends.push(this.length + chunk.length);
    this.#chunks.push(chunk);
  }

  /** A part of it as text; characters that are cut at an end come out as replacement marks. */
  text(start: number, end: number): string {
    const decoder = new TextDecoder();
    let text = '';
    for (let at = this.#chunkAt(start); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? new Uint8Array();
      const chunkStart = (this.#ends[at] ?? 0) - chunk.length;
      if (chunkStart >= end) break;
      const piece = chunk.subarray(Math.max(0, start - chunkStart), end - chunkStart);
      text += decoder.decode(piece, { stream: true });
    }
    return text + decoder.decode();
  }

  #chunkAt(position: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
