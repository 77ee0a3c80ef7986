/** Works through all of it, so many at a time. */
export async function inParallel<T>(
  atOnce: number,
  all: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const rest = all.entries();
  const lane = async () => {
    for (const [index, item] of rest) await work(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
