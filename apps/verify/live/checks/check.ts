import type { Fragment, Sql } from '../../../../infra/ports/sql.ts';

export type InvariantId = `INV-${number}${number}`;

/** What a check may need to know of the service's settings; none of it stands in the database. */
export interface LiveRules {
  /** Between accepted submissions of one hotkey; undefined: judged by what the miners' rows show. */
  readonly cooldownMs?: number | undefined;
  /** From the submission to the release of code; undefined: not judged, nor are runs by the two below. */
  readonly codePrivateMs?: number | undefined;
  readonly noProgressMs?: number | undefined;
  readonly runLimitMs?: number | undefined;
}

/** A rule over what is stored: the query finds what breaks it, so nothing found is what is wanted. */
export interface Check {
  readonly id: InvariantId;
  readonly rule: string;
  /** The relation that it looks through; its rows are what is counted as checked. */
  readonly of: string;
  /** `quiet`: holds only while nobody asks and everything that was sent is taken. */
  readonly when?: 'quiet';
  /** Holds only while processes work on the database: what is due is done, what is held is renewed. */
  readonly needsProcesses?: true;
  find(sql: Sql, rules?: LiveRules): Promise<readonly object[]>;
  /** A sentence on rows whose rule was not recorded and that are judged by less. */
  unjudged?(sql: Sql): Promise<string | undefined>;
}

/** Rows whose key is in (after, upto]. */
export interface Page {
  readonly after: string;
  readonly upto: string;
}

/**
 * Instants are read before the locks that order the commits, by owners whose clocks lag behind the database
 * by as long as it took to answer them: what is so near is on either side.
 */
export const nearMs = 5_000;

const pageRows = 20_000;
/** More of one rule say no more, and could be all the rows there are. */
const foundMax = 1_000;
const firstUuid = '00000000-0000-0000-0000-000000000000';

/** Goes through a table by its uuid key, so that no statement runs long however large the table. */
export function inPages(
  relation: string,
  key: string,
  findIn: (sql: Sql, page: Page) => Promise<readonly object[]>,
): Check['find'] {
  return async (sql) => {
    const found: object[] = [];
    for (let after = firstUuid; ; ) {
      const upto = await endOfPage(sql, { relation, key, after });
      if (upto === null || found.length >= foundMax) return found;
      found.push(...(await findIn(sql, { after, upto })));
      after = upto;
    }
  };
}

async function endOfPage(
  sql: Sql,
  { relation, key, after }: { relation: string; key: string; after: string },
): Promise<string | null> {
  const [row] = await sql<{ upto: string | null }[]>`
    select (array_agg(page.key order by page.key desc))[1]::text as upto
    from (
      select ${sql(key)} as key from ${sql(relation)}
      where ${sql(key)} > ${after}::uuid
      order by 1
      limit ${pageRows}) page`;
  return row?.upto ?? null;
}

/** The condition that a column is in the page. */
export function within(sql: Sql, column: string, { after, upto }: Page): Fragment {
  return sql`${sql(column)} > ${after}::uuid and ${sql(column)} <= ${upto}::uuid`;
}

/** Goes through the events of a kind partition by partition. */
export function inParts(
  kind: string,
  findIn: (sql: Sql, part: number) => Promise<readonly object[]>,
): Check['find'] {
  return async (sql) => {
    const parts = await sql<{ part: number }[]>`
      select p.part from rt.partition p
      where p.kind = ${kind}
        and exists (select from rt.event e where e.kind = p.kind and e.part = p.part)
      order by p.part`;
    const found: object[] = [];
    for (const { part } of parts) {
      if (found.length < foundMax) found.push(...(await findIn(sql, part)));
    }
    return found;
  };
}
