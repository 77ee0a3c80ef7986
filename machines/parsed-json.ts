/** Undefined where the text is no JSON: the error would quote it, and it may hold a key. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
