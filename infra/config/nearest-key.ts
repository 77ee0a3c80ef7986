/**
 * The known key that `name` most likely meant, or undefined when it resembles none. An environment
 * is full of other people's variables, so short names must be closer: HOST is not a slip of PORT.
 */
export function nearestKey(name: string, known: readonly string[]): string | undefined {
  const upper = name.toUpperCase();
  let nearest: string | undefined;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (const key of known) {
    const distance = editDistance(upper, key);
    if (distance < nearestDistance) [nearest, nearestDistance] = [key, distance];
  }
  return nearest !== undefined && nearestDistance <= slipsAllowed(nearest) ? nearest : undefined;
}

function slipsAllowed(key: string): number {
  if (key.length <= 4) return 0;
  return key.length <= 7 ? 1 : 2;
}

/** Levenshtein distance, one row at a time. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
