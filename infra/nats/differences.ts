/** Names of the fields whose values are not as wanted, with both values. */
export function differences<Wanted extends object>(
  wanted: Wanted,
  found: { readonly [Key in keyof Wanted]?: unknown },
): readonly string[] {
  const keys = Object.keys(wanted) as (keyof Wanted & string)[];
  return keys
    .filter((key) => JSON.stringify(wanted[key]) !== JSON.stringify(found[key]))
    .map((key) => `${key} is ${JSON.stringify(found[key])}, not ${JSON.stringify(wanted[key])}`);
}
