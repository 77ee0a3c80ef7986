/**
 * Cuts a list into runs whose JSON stays within `bytesMax`, in order; an item that is larger by
 * itself stands alone. One message to an owner stays below the broker's limit of 1 MB that way.
 */
export function chunksOf<T>(
  items: readonly T[],
  bytesMax: number,
  bytesOf: (item: T) => number = jsonBytes,
): T[][] {
  const chunks: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const itemBytes = bytesOf(item);
    if (bytes + itemBytes > bytesMax) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(item);
    bytes += itemBytes;
  }
  return chunks;
}

/** What JSON writes as it stands: most texts, and cheaper to find out than to write. */
const plainText = /^[ !#-[\]-~]*$/;

export function textBytes(text: string): number {
  return plainText.test(text) ? text.length + 2 : jsonBytes(text);
}

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
