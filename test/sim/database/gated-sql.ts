import type { Sql } from '../../../infra/ports/sql.ts';

export interface GatedQuery {
  readonly args: readonly unknown[];
  /** Sends it for real. */
  execute(): Promise<unknown>;
}

/** Runs the query when the world says so, and gives its result when the world says so. */
export type Gate = (name: string, query: GatedQuery) => Promise<unknown>;

interface ClientQuery extends Promise<unknown> {
  readonly strings: readonly string[];
  readonly args: readonly unknown[];
}

/**
 * The client's own handle, but that a query that is awaited goes through the gate. One that is put
 * into another as a piece is never awaited, and stays what it is.
 */
export function gatedSql(real: Sql, gate: Gate): Sql {
  const call = (...args: unknown[]) => {
    const made: unknown = Reflect.apply(real, undefined, args);
    return made instanceof Promise ? gated(made as ClientQuery, gate) : made;
  };
  return new Proxy(call, {
    get: (_, key) => {
      if (key !== 'unsafe') return Reflect.get(real, key);
      return (...args: Parameters<Sql['unsafe']>) =>
        gated(real.unsafe(...args) as unknown as ClientQuery, gate);
    },
  }) as unknown as Sql;
}

function gated(query: ClientQuery, gate: Gate): ClientQuery {
  const { then } = query;
  let outcome: Promise<unknown> | undefined;
  const begin = (): Promise<unknown> => {
    outcome ??= gate(nameOf(query.strings), {
      args: query.args,
      execute: () =>
        new Promise((resolve, reject) => void Reflect.apply(then, query, [resolve, reject])),
    });
    return outcome;
  };
  const through = (method: 'catch' | 'finally' | 'then') => ({
    value: (...how: never[]) => Reflect.apply(begin()[method], begin(), how),
  });
  for (const method of ['then', 'catch', 'finally'] as const) {
    void Object.defineProperty(query, method, through(method));
  }
  return query;
}

const names = new WeakMap<readonly string[], string>();

/** What the query is about: the function of schema rt that it calls, or the first table. */
function nameOf(strings: readonly string[]): string {
  const known = names.get(strings);
  if (known !== undefined) return known;
  const text = strings.join('?');
  const name =
    /\brt\.(\w+)\(/.exec(text)?.[1] ?? /\b(?:from|into|update)\s+([\w.]+)/.exec(text)?.[1];
  names.set(strings, name ?? 'query');
  return name ?? 'query';
}
