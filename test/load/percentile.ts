/** Of ascending values; NaN of none. */
export function percentile(ascending: ArrayLike<number>, share: number): number {
  const index = Math.min(ascending.length - 1, Math.floor(ascending.length * share));
  return ascending[index] ?? Number.NaN;
}
