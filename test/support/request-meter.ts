import type { NatsConnection } from 'nats';
import { connectNats } from '../../infra/nats/connect.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { migrate } from '../../infra/postgres/migrate.ts';
import type { TestDatabase } from './cluster.ts';
import { silentTelemetry } from './silent-telemetry.ts';
import { temporaryPostgres } from './temporary-servers.ts';
import { until } from './until.ts';

export type Tally = Readonly<Record<string, number>>;

/** What was done from the moment of a request until nothing of it was left to do. */
export interface Costs {
  /** Statements of ours, each a round trip, by role, verb and first table, or by the function they call. */
  readonly statements: Tally;
  /** Bytes of write-ahead log of each of them; one that writes is a commit. */
  readonly walBytes: Tally;
  /** Statements inside of those: in functions, triggers and checks of foreign keys. */
  readonly inside: number;
  /** What the broker was given and gave, by subject without its ids. */
  readonly messages: Tally;
  readonly signatures: number;
  /** How long it was counted. */
  readonly ms: number;
}

/** A server of its own that counts statements: what other test files do on theirs is not seen. */
export async function countingDatabase(): Promise<TestDatabase & AsyncDisposable> {
  const server = await temporaryPostgres({
    settings: {
      shared_preload_libraries: 'pg_stat_statements',
      'pg_stat_statements.track': 'all',
      // An autovacuum writes as well, and whenever it likes.
      autovacuum: 'off',
    },
  });
  await migrate(server.url);
  const sql = createSql({ url: server.url, max: 4, applicationName: 'test' });
  await sql.unsafe('create schema counted; create extension pg_stat_statements schema counted');
  return {
    url: server.url,
    sql,
    [Symbol.asyncDispose]: async () => {
      await closeSql(sql);
      await server.stop();
    },
  };
}

interface Statement {
  readonly key: string;
  readonly isTop: boolean;
  readonly role: string;
  readonly query: string;
  readonly calls: number;
  readonly walBytes: number;
}

/** Counts what a service in this process does, in the servers that it asks and in its own telemetry. */
export class RequestMeter {
  /** Give it to the service that is measured. */
  readonly telemetry: Telemetry = {
    ...silentTelemetry,
    count: (name, by = 1) => {
      if (name === 'paddock.signatures') this.#signatures += by;
    },
  };
  readonly #sql: Sql;
  #broker: NatsConnection | undefined;
  #messages: string[] = [];
  #signatures = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Hears every message of the broker from then on. */
  async listen(natsUrl: string): Promise<void> {
    const broker = await connectNats({ url: natsUrl, name: 'meter' });
    this.#broker = broker;
    broker.subscribe('>', {
      callback: (_error, { subject, headers }) => {
        this.#messages.push(plainSubject(subject, headers?.get('x-cmd-type') ?? ''));
      },
    });
    await broker.flush();
  }

  async close(): Promise<void> {
    await this.#broker?.close();
  }

  /** Of one request and all that follows of it, together with whatever else went on meanwhile. */
  async measure<T>(
    request: () => Promise<T>,
  ): Promise<{ readonly costs: Costs; readonly answer: T }> {
    await this.#settled();
    const before = await this.#statements();
    this.#messages = [];
    this.#signatures = 0;
    const startedMs = performance.now();
    const answer = await request();
    const signatures = this.#signatures;
    await this.#settled();
    const spent = this.#spent(before, await this.#statements());
    return { answer, costs: { ...spent, signatures, ms: performance.now() - startedMs } };
  }

  #spent(before: Statements, after: Statements): Omit<Costs, 'signatures' | 'ms'> {
    const statements: Record<string, number> = {};
    const walBytes: Record<string, number> = {};
    let inside = 0;
    for (const [key, statement] of after) {
      const calls = statement.calls - (before.get(key)?.calls ?? 0);
      const bytes = statement.walBytes - (before.get(key)?.walBytes ?? 0);
      if (calls === 0) continue;
      if (!statement.isTop) inside += calls;
      else {
        const label = labelOf(statement);
        statements[label] = (statements[label] ?? 0) + calls;
        walBytes[label] = (walBytes[label] ?? 0) + bytes;
      }
    }
    return { statements, walBytes, inside, messages: tallied(this.#messages) };
  }

  async #statements(): Promise<Statements> {
    const rows = await this.#sql<Statement[]>`
      select concat_ws(' ', queryid, toplevel, userid) as key, toplevel as "isTop",
             userid::regrole::text as role, query, calls::float8 as calls,
             wal_bytes::float8 as "walBytes"
      from counted.pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database())
        -- Functions of ours run as the superuser, and so do the statements of this test.
        and (userid <> 'postgres'::regrole or not toplevel)`;
    return new Map(rows.map((row) => [row.key, row]));
  }

  /** Every fact that was told is taken by all who wait for it. */
  async #settled(): Promise<void> {
    await until(async () => {
      const [row] = await this.#sql<{ left: number }[]>`
        select count(*)::integer as left from rt.outbox`;
      return row?.left === 0;
    });
    await this.#broker?.flush();
  }
}

type Statements = ReadonlyMap<string, Statement>;

/**
 * What is in all of them: work by timers is in some. One counter that only one of them shows beside
 * it is not what a request costs.
 */
export function leastOf(all: readonly Costs[]): Costs {
  const numbers = (read: (costs: Costs) => number) => Math.min(...all.map(read));
  const tallies = (read: (costs: Costs) => Tally) => {
    const labels = Object.keys(read(all[0] as Costs)).sort();
    const least = labels.map(
      (label) => [label, numbers((costs) => read(costs)[label] ?? 0)] as const,
    );
    return Object.fromEntries(least.filter(([, count]) => count > 0));
  };
  return {
    statements: tallies(({ statements }) => statements),
    walBytes: tallies(({ walBytes }) => walBytes),
    inside: numbers(({ inside }) => inside),
    messages: tallies(({ messages }) => messages),
    signatures: numbers(({ signatures }) => signatures),
    ms: numbers(({ ms }) => ms),
  };
}

function tallied(labels: readonly string[]): Tally {
  const groups = Object.groupBy(labels, (label) => label);
  return Object.fromEntries(
    Object.entries(groups).map(([label, all]) => [label, all?.length ?? 0]),
  );
}

/** `edge: select hotkey_ban`, `actor: rt.commit`. */
function labelOf({ role, query }: Statement): string {
  const text = query.replaceAll(/extract\(\S+ from /g, '').replaceAll(/\s+/g, ' ');
  const who = role.replace('paddock_', '');
  const [, called] = /^select \(?(rt\.\w+)\(/.exec(text) ?? [];
  if (called !== undefined) return `${who}: ${called}`;
  const [verb = ''] = text.split(' ');
  const [, table] = /\b(?:from|into|update) ((?:rt\.)?[a-z_]+)/.exec(text) ?? [];
  const [, own = ''] = /^select (\w+)\(/.exec(text) ?? [];
  return `${who}: ${verb} ${table ?? own}`.trim();
}

function plainSubject(subject: string, type: string): string {
  if (subject.startsWith('_INBOX_edge.')) return 'answer';
  if (subject.startsWith('_INBOX.')) return 'answer of the stream';
  const [, consumer] = /^\$JS\.ACK\.\w+\.([\w-]+)\./.exec(subject) ?? [];
  if (consumer !== undefined) return `taken by ${consumer}`;
  const plain = subject.replaceAll(/\.\d+\b/g, '');
  return type === '' ? plain : `${plain} ${type}`;
}
