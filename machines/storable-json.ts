const replacement = '\ufffd';
/** In the place of what nests too deep. */
const deeper = '[deeper]';

/** Whether a database takes it: neither a NUL nor half of a surrogate pair has a place in a Postgres text. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  // No text is made of the places of a list, which may be millions of numbers.
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner));
}

/**
 * The same value with U+FFFD for each of both, also in names: an equal value becomes an equal one, in whichever order
 * its names come.
 */
export function storableJson<T>(value: T): T;
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => storableJson(inner));
  const nameOf = storableNames(Object.keys(value));
  return withEntries(value, (name, inner) => [nameOf.get(name) ?? name, storableJson(inner)]);
}

function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', replacement);
}

/**
 * No two of them alike: of those that would be, each but the first has its place among them for a sign of it. They are
 * counted in the order of their units, so that it does not matter in which one the names of a value come.
 */
function storableNames(names: readonly string[]): ReadonlyMap<string, string> {
  const [fine, odd] = [names.filter(isStorable), names.filter((name) => !isStorable(name))];
  const taken = new Set(fine);
  const alike = new Map<string, number>();
  const nameOf = new Map(fine.map((name) => [name, name]));
  for (const name of odd.toSorted()) {
    const mended = storableText(name);
    let kept: string;
    do {
      const place = (alike.get(mended) ?? 0) + 1;
      alike.set(mended, place);
      kept = place === 1 ? mended : mended.replace(replacement, String(place));
    } while (taken.has(kept));
    taken.add(kept);
    nameOf.set(name, kept);
  }
  return nameOf;
}

/** The same value, in which no list or object nests deeper than `levels`: whatever depth it has, the stack holds. */
export function cutDeeper(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return deeper;
  if (Array.isArray(value)) return value.map((inner) => cutDeeper(inner, levels - 1));
  return withEntries(value, (name, inner) => [name, cutDeeper(inner, levels - 1)]);
}

/** Not by assignment, which would take `__proto__` for something else than a name. */
function withEntries(value: object, each: (name: string, inner: unknown) => [string, unknown]) {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => each(name, inner)));
}
