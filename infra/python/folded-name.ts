/** Far more than a name needs that somebody reads. Marks that stand behind a letter are put in order one by one. */
export const foldedUnitsMax = 1_000;

/**
 * The name that Python means by it (NFKC). A longer one stays as it is: folding makes no short name of it, and the
 * names that rules know are short.
 */
export function foldedName(name: string): string {
  return name.length > foldedUnitsMax ? name : name.normalize('NFKC');
}
