/** A fact as its commit stored it. */
export interface StoredFact {
  readonly machine: string;
  readonly key: string;
  /** Which fact of its thing it is. */
  readonly seq: number;
  readonly type: string;
  readonly commandId: string;
  /** By the clock of the database, which no owner's is ahead of; milliseconds and their fractions. */
  readonly committedMs: number;
  /** The instant that it carries, if it does: when it was decided, by its owner's clock. */
  readonly ownMs: number | null;
}

interface Work<F> {
  readonly fact: F;
  /** What came next of the same thing that has an instant: it was not decided after that. */
  latestMs: number;
  atMs: number;
}

/**
 * When each fact was decided, in the order of that.
 *
 * The facts of one command were decided at one instant, which some of them carry. Of a command without any it
 * is the commit's; but commits take what was decided together, so it is before what came of the same thing next,
 * and not before what came of it last. What came of one thing is one after the other.
 */
export function datedFacts<F extends StoredFact>(
  facts: readonly F[],
): readonly (F & { readonly atMs: number })[] {
  const all = facts.map((fact): Work<F> => ({ fact, latestMs: Infinity, atMs: Number.NaN }));
  const things = [...groupsOf(all, ({ machine, key }) => `${machine} ${key}`)];
  for (const thing of things) {
    thing.sort((a, b) => a.fact.seq - b.fact.seq);
    boundByNext(thing);
  }
  const commands = groupsOf(all, ({ commandId, committedMs }) => `${commandId} ${committedMs}`);
  for (const command of commands) dateTogether(command);
  for (const thing of things) keepInTurn(thing);
  return all.toSorted(inOrder).map(({ fact, atMs }) => ({ ...fact, atMs }));
}

function groupsOf<F extends StoredFact>(
  all: readonly Work<F>[],
  nameOf: (fact: F) => string,
): Iterable<Work<F>[]> {
  return Map.groupBy(all, ({ fact }) => nameOf(fact)).values();
}

function boundByNext(thing: readonly Work<StoredFact>[]): void {
  let nextMs = Infinity;
  for (const work of thing.toReversed()) {
    work.latestMs = nextMs - 1;
    nextMs = Math.min(nextMs, work.fact.ownMs ?? Infinity);
  }
}

function dateTogether(command: readonly Work<StoredFact>[]): void {
  const own = command.flatMap(({ fact }) => fact.ownMs ?? []);
  const latestMs = Math.min(...command.map((work) => work.latestMs));
  for (const work of command) {
    const { ownMs, committedMs } = work.fact;
    work.atMs = ownMs ?? (own.length > 0 ? Math.max(...own) : Math.min(committedMs, latestMs));
  }
}

function keepInTurn(thing: readonly Work<StoredFact>[]): void {
  let lastMs = -Infinity;
  for (const work of thing) {
    work.atMs = Math.max(lastMs, work.atMs);
    lastMs = work.atMs;
  }
}

function inOrder(a: Work<StoredFact>, b: Work<StoredFact>): number {
  return (
    a.atMs - b.atMs ||
    byText(a.fact.machine, b.fact.machine) ||
    byText(a.fact.key, b.fact.key) ||
    a.fact.seq - b.fact.seq
  );
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
