import type { Sql } from '../../../infra/ports/sql.ts';
import {
  closeSql,
  createSql,
  type DatabaseRole,
  giveSessions,
  sessionsOf,
} from '../../../infra/postgres/client.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Commit } from '../oracle/commit-model.ts';
import { commitsOf } from './commits-of.ts';
import type { DatabaseLink } from './database-link.ts';
import { gatedSql } from './gated-sql.ts';
import type { ServerClock } from './server-clock.ts';
import type { DatabaseCopy } from './sim-server.ts';

/** Sees every commit in the step that makes it. */
export interface CommitWitness {
  onCommit(commit: Omit<Commit, 'atMs'>): void;
  onFailure(statement: string, error: unknown): void;
  /** A partition has a new owner, or its old one has it afresh. */
  onTakeover(kind: string, part: number): void;
  /** The end of a run's lease as it is written beside the commits. */
  onBeat(evalRunId: string, untilMs: number): void;
  /** For how long the statement waits for a lock. */
  onSent(statement: string, commits: readonly Pick<Commit, 'events'>[]): number;
}

/** As rt.commit_all has it: what would wait for longer is taken back, and each is sent by itself. */
const sharedLockTimeoutMs = 100;

/** One database of the simulated world, over one real connection for each role. */
export class SimDatabase implements AsyncDisposable {
  readonly #kernel: Kernel;
  readonly #url: string;
  readonly #witness: CommitWitness;
  readonly #pools = new Map<string, Sql>();
  readonly #clock: ServerClock;
  /** With all rights, for the checks; outside of the world's time. */
  readonly admin: Sql;

  constructor(kernel: Kernel, options: { readonly copy: DatabaseCopy } & CommitWitness) {
    this.#kernel = kernel;
    this.#url = options.copy.url;
    this.#clock = options.copy.clock;
    this.#witness = options;
    this.admin = this.#open();
  }

  /** A process's own handle: every query is a step of the world, and so is a whole transaction. */
  sqlFor(link: DatabaseLink, role: DatabaseRole): Sql {
    const real = this.#pool(role);
    const gated = gatedSql(real, (statement, query) => {
      const sentUs = this.#domainUs;
      const commits = commitsOf(statement, query.args);
      // To the weather it is one commit, however many partitions make it.
      const name = commits.length > 0 ? 'commit' : statement;
      const heldMs = this.#witness.onSent(name, commits);
      const isGivenUp = statement === 'commit_all' && heldMs > sharedLockTimeoutMs;
      const run = async () => {
        this.#setClock(sentUs);
        try {
          if (isGivenUp) await real.unsafe('do $$ begin raise lock_not_available; end $$');
          const result = await query.execute();
          this.#witnessed(link.process.name, commits, result);
          if (name === 'claim') {
            const taken = result as readonly { kind: string; part: number }[];
            for (const { kind, part } of taken) this.#witness.onTakeover(kind, part);
          }
          if (name === 'flush_run_beat') await this.#sawBeats();
          return result;
        } catch (error) {
          this.#witness.onFailure(name, error);
          throw error;
        }
      };
      return link.perform(name, run, isGivenUp ? sharedLockTimeoutMs : heldMs);
    });
    giveSessions(gated, {
      use: (body) =>
        link.perform('transaction', () =>
          sessionsOf(real).use(async (session) => {
            this.#setClock();
            return await body(session);
          }),
        ),
      end: () => Promise.resolve(),
    });
    return gated;
  }

  /** What the server's clocks say until the next event: nothing runs there but what it is asked now. */
  #setClock(sentUs = this.#domainUs): void {
    this.#clock.set({ wallUs: this.#kernel.nowUs, domainUs: this.#domainUs, sentUs });
  }

  get #domainUs(): number {
    return this.#kernel.nowUs + this.#kernel.domainOffsetUs;
  }

  /** The superuser's view at the world's present time. */
  now(): Sql {
    this.#setClock();
    return this.admin;
  }

  #witnessed(process: string, commits: ReturnType<typeof commitsOf>, result: unknown): void {
    if (commits.length === 0) return;
    const [row] = result as { answer?: { duplicates?: unknown } }[];
    if (row?.answer === undefined || row.answer.duplicates !== undefined) return;
    for (const commit of commits) this.#witness.onCommit({ process, ...commit });
  }

  async #sawBeats(): Promise<void> {
    const beats = await this.admin<{ id: string; untilMs: number }[]>`
      select eval_run_id as id, (extract(epoch from lease_until) * 1000)::float8 as "untilMs"
      from run_beat`;
    for (const { id, untilMs } of beats) this.#witness.onBeat(id, untilMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.admin, ...this.#pools.values()].map((pool) => closeSql(pool)));
  }

  #pool(role: DatabaseRole): Sql {
    const known = this.#pools.get(role) ?? this.#open(role);
    this.#pools.set(role, known);
    return known;
  }

  #open(role?: DatabaseRole): Sql {
    return createSql({
      ...{ url: this.#url, max: 1, applicationName: `sim ${role ?? 'checks'}` },
      ...(role !== undefined && { role }),
      // Real time means nothing here.
      statementTimeoutMs: 0,
    });
  }
}
