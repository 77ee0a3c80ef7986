/** An event ends with an empty line; lines end in LF, CRLF or CR. */
const marks = ['\n\n', '\r\n\r\n', '\r\r'];

/** All but the last byte of the longest mark may lie in what was looked through before. */
const overlapBytes = 3;

export interface Looked {
  /** What has come so far of the first event. */
  readonly bytes: { indexOf(mark: string, from: number): number };
  /** So many of them were there before, and hold no end. */
  readonly knownBytes: number;
}

/**
 * Where the events end, one after the other. The next place of each mark is remembered, so that no byte is looked
 * at for each event that ends before it: a provider decides how many there are in a chunk.
 */
export function* eventEnds({ bytes, knownBytes }: Looked): Generator<number> {
  let from = Math.max(0, knownBytes - overlapBytes);
  const places = marks.map(() => -1);
  for (;;) {
    let end = Number.POSITIVE_INFINITY;
    for (const [index, mark] of marks.entries()) {
      const known = places[index] ?? -1;
      const at = known >= from ? known : placeOf(bytes, mark, from);
      places[index] = at;
      end = Math.min(end, at + mark.length);
    }
    if (end === Number.POSITIVE_INFINITY) return;
    yield end;
    from = end;
  }
}

function placeOf(bytes: Looked['bytes'], mark: string, from: number): number {
  const at = bytes.indexOf(mark, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
