export type Sides<Name extends string, T> = Readonly<Record<Name, (round: number) => Promise<T>>>;

/**
 * So many rounds, each with every side once, in another order each time: what the machine does
 * otherwise, and what one side leaves behind for the next, falls on all alike.
 */
export async function alternate<Name extends string, T>(
  rounds: number,
  sides: Sides<Name, T>,
  random: () => number = Math.random,
): Promise<readonly Readonly<Record<Name, T>>[]> {
  const results: Record<Name, T>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const result: Partial<Record<Name, T>> = {};
    for (const name of shuffled(Object.keys(sides) as Name[], random)) {
      result[name] = await sides[name](round);
    }
    results.push(result as Record<Name, T>);
  }
  return results;
}

function shuffled<T>(all: readonly T[], random: () => number): readonly T[] {
  const rest = [...all];
  return all.flatMap(() => rest.splice(Math.floor(random() * rest.length), 1));
}
