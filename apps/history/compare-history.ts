import { type LostHistory, lostHistory } from '../../infra/history/history-watch.ts';
import type { HistoryStore, Mark, MarkCopy } from '../../infra/ports/history.ts';

export interface Comparison {
  /** Undefined where no coordinator ever ran. */
  readonly here: Mark | undefined;
  /** What each copy says; undefined where it has none. */
  readonly kept: ReadonlyMap<string, Mark | undefined>;
  readonly lost: LostHistory | undefined;
}

/** Unlike a running process this needs an answer of every copy: one alone may know what was lost. */
export async function compareHistory(
  store: HistoryStore,
  copies: readonly MarkCopy[],
): Promise<Comparison> {
  const first = await store.read([]);
  if (first === undefined) return { here: undefined, kept: new Map(), lost: undefined };
  const { genesis } = first.newest;
  const kept = new Map(
    await Promise.all(copies.map(async (copy) => [copy.name, await copy.read(genesis)] as const)),
  );
  const told = new Map([...kept].flatMap(([name, mark]) => (mark ? [[name, mark] as const] : [])));
  const history = await store.read([...told.values()].map(({ seq }) => seq));
  if (history === undefined) throw new Error('the database has lost its history while it was read');
  return { here: history.newest, kept, lost: lostHistory(told, history) };
}
