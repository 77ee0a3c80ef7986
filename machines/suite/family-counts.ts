/** How many tasks each family has. Families are named by packs, so a plain `+= 1` would not do. */
export function familyCountsOf(
  tasks: readonly { readonly family: string }[],
): Record<string, number> {
  const byFamily = Map.groupBy(tasks, ({ family }) => family);
  return Object.fromEntries([...byFamily].map(([family, members]) => [family, members.length]));
}
