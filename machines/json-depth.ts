const quote = 0x22;
const backslash = 0x5c;
const [openList, closeList] = [0x5b, 0x5d];
const [openObject, closeObject] = [0x7b, 0x7d];

/**
 * Deeper than anything that is sent to us in earnest. What nests further is parsed all the same, and costs
 * whoever walks or writes it afterwards the stack.
 */
export const depthMax = 64;

/** Of a question to a model, which is held as long as its answer takes: a talk of ten thousand turns. */
export const completionPartsMax = 50_000;

/**
 * Of results, of progress and of the end of a run: for each of 500 results, which have 24 without them, a
 * hundred checks and more than a hundred components.
 */
export const resultsPartsMax = 200_000;

/** Whether lists and objects nest deeper, before anybody has parsed what may be no JSON at all. */
export function deeperThan(bytes: Uint8Array, levels: number): boolean {
  const { length } = bytes;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfText(bytes, at + 1);
    // Most of what stands between texts is none of the four, and below all of them.
    else if (byte >= openList) {
      if (byte === openObject || byte === openList) {
        depth += 1;
        if (depth > levels) return true;
      } else if (byte === closeObject || byte === closeList) depth -= 1;
    }
  }
  return false;
}

export function morePartsThan(bytes: Uint8Array, partsMax: number): boolean {
  return partsUpTo(bytes, partsMax) > partsMax;
}

/**
 * How many lists, objects and texts there are in it, names among them, or one more than `partsMax`: an empty
 * one of three bytes takes seventy once it is parsed.
 */
export function partsUpTo(bytes: Uint8Array, partsMax: number): number {
  const { length } = bytes;
  let parts = 0;
  for (let at = 0; at < length && parts <= partsMax; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfText(bytes, at + 1);
    else if (byte !== openObject && byte !== openList) continue;
    parts += 1;
  }
  return parts;
}

/** Where the quote stands that ends the text; beyond all bytes where none does. */
function endOfText(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  for (let at = from; at < length; at++) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  return length;
}
