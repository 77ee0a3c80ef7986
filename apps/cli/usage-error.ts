/** The command line is wrong; says in a sentence what to do instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The known name that was most likely meant; undefined where none is near. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const measured = known.map((name) => ({ name, far: distance(given, name) }));
  const [first] = measured.toSorted((a, b) => a.far - b.far);
  const farMax = Math.max(1, Math.floor(given.length / 3));
  return first !== undefined && first.far <= farMax ? first.name : undefined;
}

/** How many letters have to be put in, taken out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...b].entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
